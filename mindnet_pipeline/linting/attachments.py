"""The files of a vault that are no notes: whether a link to one finds it, as Obsidian would."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from mindnet_pipeline.core.resolve import comparison_key


class Attachments:
    """The paths of all files that links can lead to besides notes: images, PDFs, canvases, anything."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for path in paths:
            key = comparison_key(path)
            self._by_name.setdefault(key.rpartition("/")[2], []).append(key)

    def has(self, target: str, source_path: str) -> bool:
        """True if the target is a file: from the source's folder or the root, or by the end of its path.

        >>> files = Attachments(["Bilder/Beet.png"])
        >>> files.has("beet.png", "a.md"), files.has("../Bilder/Beet.png", "x/a.md"), files.has("./Beet.png", "a.md")
        (True, True, False)
        """
        folder = source_path.rpartition("/")[0]
        if target.startswith(("./", "../")):
            target = "/" + posixpath.normpath(posixpath.join(folder, target))
        key = comparison_key(target)
        keys = self._by_name.get(key.rpartition("/")[2], ())
        if key.startswith("/"):
            return key[1:] in keys
        return any(each == key or each.endswith(f"/{key}") for each in keys)
