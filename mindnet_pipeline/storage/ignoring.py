"""Which names of a vault are not notes: hidden ones, conflict copies, what Obsidian or the configuration excludes.

Names and patterns in, verdicts out; the only file read is the vault's own `.obsidian/app.json`. The walk itself is in
storage/vault.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from mindnet_pipeline.core.errors import ConfigError, VaultError
from mindnet_pipeline.core.ids import nfc

DEFAULT_EXCLUDE = ("node_modules/",)

_APP_CONFIG = ".obsidian/app.json"
_CONFLICT_COPY = re.compile(
    r"""
      # Syncthing; Nextcloud, older; Dropbox, Nextcloud and Obsidian Sync, with a date in the brackets
      \.sync-conflict-\d{8}-\d{6}(-[A-Z0-9]{7})?$
    | _conflict-\d{8}-\d{6}$
    | \([^()]*(conflicted\ copy|in\ Konflikt\ stehende\ Kopie)[^()]*\d{4}[^()]*\)(\ \(\d+\))?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ONEDRIVE_COPY = re.compile(r"^(?P<original>.+)-(DESKTOP|LAPTOP)-[A-Z0-9]{7}(-\d+)?$")
"""OneDrive appends the computer's name; only the names that Windows gives by default are certain to be one."""


@dataclass(frozen=True, slots=True)
class Ignoring:
    """The vault's rules. `problems` are (path, sentence) about rules that could not be understood."""

    ignores_folder: Callable[[str], bool]
    ignores_file: Callable[[str], bool]
    problems: tuple[tuple[str, str], ...] = ()


def load_ignoring(root: Path, exclude: Sequence[str]) -> Ignoring:
    """The rules of a vault: `exclude` (.gitignore patterns) and its own `userIgnoreFilters`.

    Raises:
        VaultError: the vault's own configuration cannot be read.
        ConfigError: a pattern of `exclude` is not valid.
    """
    filters, problems = _user_filters(root)
    patterns, filter_problems = _filter_patterns(filters)
    try:
        spec = GitIgnoreSpec.from_lines(exclude)
    except ValueError as error:
        raise ConfigError(f"sync.exclude: {error}. Use .gitignore patterns such as `Archiv/` or `*.tmp.md`.") from error
    names_files = any(pattern.strip() and not pattern.rstrip().endswith("/") for pattern in exclude)

    def ignored(path: str) -> bool:
        return any(pattern.search(path) for pattern in patterns)

    def ignores_folder(path: str) -> bool:
        return spec.match_file(path + "/") or ignored(nfc(path) + "/")

    def ignores_file(path: str) -> bool:
        return (names_files and spec.match_file(path)) or (bool(patterns) and ignored(nfc(path)))

    return Ignoring(ignores_folder, ignores_file, (*problems, *filter_problems))


def is_hidden(name: str) -> bool:
    """True for names that Obsidian never shows: `.git`, `.trash`, `.obsidian`, `.entwurf.md`."""
    return name.startswith(".")


def is_note_name(name: str) -> bool:
    """True for `.md` in any case."""
    return name[-3:].lower() == ".md"


def is_conflict_copy(name: str, siblings: Collection[str]) -> bool:
    """True for the copy that a sync service made of a note it could not merge.

    >>> is_conflict_copy("Idee.sync-conflict-20250102-101530-ABCDEFG.md", ())
    True
    >>> is_conflict_copy("Plan-LAPTOP-AB12CD3.md", ("Plan.md",)), is_conflict_copy("Plan-LAPTOP-AB12CD3.md", ())
    (True, False)
    """
    stem, suffix = name[:-3], name[-3:]
    if _CONFLICT_COPY.search(nfc(stem)):
        return True
    onedrive = _ONEDRIVE_COPY.match(stem)
    return onedrive is not None and onedrive["original"] + suffix in siblings


def cloud_placeholder(name: str) -> str:
    """The note that an iCloud placeholder stands for (in the cloud, not on this disk); `""` if it is none.

    >>> cloud_placeholder(".Idee.md.icloud")
    'Idee.md'
    """
    note = name[1:-7] if name.startswith(".") and name.endswith(".icloud") else ""
    return note if is_note_name(note) else ""


def _user_filters(root: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """The vault's own filters, and problems with them.

    A file that is half written stops the scan: what is left out on purpose must not be read in that moment.
    """
    try:
        config = json.loads((root / _APP_CONFIG).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return [], []
    except (OSError, ValueError) as error:
        raise VaultError(
            f"{root / _APP_CONFIG} cannot be read ({error}), so nobody knows which folders Obsidian leaves out. The "
            "index was left as it is. Sync again when Obsidian has written the file; if it stays so, mend or delete it."
        ) from error
    filters = config.get("userIgnoreFilters") if isinstance(config, dict) else None
    if filters is None:
        return [], []
    written = filters if isinstance(filters, list) else [None]
    texts = [item for item in written if isinstance(item, str)]
    problem = (_APP_CONFIG, "userIgnoreFilters is no list of texts; what is none leaves nothing out")
    return [text for text in texts if text], [problem] if len(texts) < len(written) else []


def _filter_patterns(filters: Sequence[str]) -> tuple[list[re.Pattern[str]], list[tuple[str, str]]]:
    """Obsidian's rule: `/…/` is a regular expression, anything else the start of a path."""
    patterns, problems = [], []
    for written in filters:
        is_expression = len(written) > 2 and written[0] == written[-1] == "/"
        try:
            patterns.append(re.compile(nfc(written[1:-1]) if is_expression else "^" + re.escape(nfc(written))))
        except re.error as error:
            problems.append((_APP_CONFIG, f"userIgnoreFilters: {written} is not understood ({error})"))
    return patterns, problems
