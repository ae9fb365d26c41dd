"""Where configuration files lie: in the project, or in a package that is installed without its repository."""

from __future__ import annotations

import sysconfig
from pathlib import Path

_PROJECT_ROOT = Path(__file__).resolve().parent.parent.parent
_USER_SCHEME = sysconfig.get_preferred_scheme("user")


def shipped_folder() -> Path:
    """The folder with mindnet's own files."""
    project = _PROJECT_ROOT / "config"
    return next((place for place in (project, *installed_folders()) if (place / "types.yaml").is_file()), project)


def installed_folders() -> tuple[Path, ...]:
    """Where an installed package has them; in `pip install --target`, beside it."""
    places = (Path(sysconfig.get_path("data")), Path(sysconfig.get_path("data", _USER_SCHEME)), _PROJECT_ROOT)
    return tuple(place / "share" / "mindnet" / "config" for place in places)
