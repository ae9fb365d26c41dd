"""Link text → `Link`: target, subpath, display and whether it leads to a note, an attachment or out of the vault."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote

from mindnet_pipeline.core.markdown.titles import plain_title
from mindnet_pipeline.core.model import Destination, Link, LinkSyntax, Span

_ATTACHMENTS = frozenset(
    (
        # images, sound, film, and Obsidian's own formats (Obsidian Help, Accepted file formats)
        *("avif", "bmp", "gif", "heic", "ico", "jpeg", "jpg", "png", "psd", "svg", "tif", "tiff", "webp"),
        *("3gp", "aac", "flac", "m4a", "mp3", "ogg", "opus", "wav", "avi", "mkv", "mov", "mp4", "ogv", "webm"),
        *("base", "canvas", "drawio", "excalidraw", "pdf", "sketch"),
        # documents and archives
        *("bib", "csv", "doc", "docx", "eml", "epub", "htm", "html", "ics", "json", "odp", "ods", "odt", "ppt", "pptx"),
        *("rtf", "tex", "tsv", "txt", "xls", "xlsx", "xml", "7z", "gz", "rar", "tar", "zip"),
    )
)
_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,10})\Z")
_PIPE = re.compile(r"\\?\|")
_RELATION = re.compile(r"rel:\s*([^\s|\\]+)(?:\s*\\?\||\s+|\Z)(.*)\Z", re.IGNORECASE | re.DOTALL)
_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|[\\/]{2}")
_WIKI_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|mailto:|[A-Za-z]:[\\/]|//", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKED = re.compile(r"[\\`*_~=\[<]")
_SPACE = re.compile(r"\s+")


def wikilink(content: str, span: Span, *, embed: bool) -> Link | None:
    """The link of `[[content]]`; None if it names nothing. A relation without a target is kept, with an empty target.

    >>> link = wikilink("rel:depends_on Qdrant#Setup|die DB", (0, 0), embed=False)
    >>> link.syntax, link.kind, link.target, link.subpath, link.display
    ('rel', 'depends_on', 'Qdrant', 'Setup', 'die DB')
    """
    relation = None if embed else _RELATION.match(content.strip())
    kind, content = (relation[1], relation[2]) if relation else ("", content)
    written, _, display = _PIPE.sub("|", content).partition("|")
    target, subpath = _split_subpath(written)
    if not target and not subpath and not relation:
        return None
    syntax: LinkSyntax = "embed" if embed else ("rel" if relation else "wikilink")
    if _WIKI_EXTERNAL.match(target):
        return _link(syntax, written.strip(), "", display, kind, span, "external")
    return _link(syntax, target, subpath, display, kind, span, _inside(target))


def markdown_link(destination: str, text: str, span: Span, *, image: bool) -> Link | None:
    """The link of `[text](destination)`; None if the destination is empty. Percent-encoding is decoded once.

    >>> markdown_link("<Mein Ziel.md#Teil%20Zwei>", "D", (0, 0), image=False).subpath
    'Teil Zwei'
    """
    if destination.startswith("<"):
        destination = destination[1:-1]
    plain = html.unescape(_ESCAPE.sub(r"\1", destination)).strip()
    display = plain_title(text) if _MARKED.search(text) else _SPACE.sub(" ", text)
    syntax: LinkSyntax = "embed" if image else "mdlink"
    if not plain:
        return None
    if _EXTERNAL.match(plain):
        return _link(syntax, plain, "", display, "", span, "external")
    path, mark, fragment = plain.partition("#")
    target, subpath = unquote(path, errors="surrogateescape"), unquote(fragment, errors="surrogateescape")
    if "\udc80" <= max(target + subpath, default="") <= "\udcff":
        target, subpath = path, fragment
    if not target.strip() and not mark:
        return None
    return _link(syntax, target.strip(), subpath.strip(), display, "", span, _inside(target.strip()))


def url_link(url: str, span: Span) -> Link:
    """An address that stands in the text as itself."""
    return _link("mdlink", url, "", "", "", span, "external")


def _split_subpath(written: str) -> tuple[str, str]:
    target, _, subpath = written.partition("#")
    return target.strip(), subpath.strip()


def _inside(target: str) -> Destination:
    extension = _EXTENSION.search(target)
    return "attachment" if extension and extension[1].lower() in _ATTACHMENTS else "note"


def _link(  # noqa: PLR0913, PLR0917 the fields of a link
    syntax: LinkSyntax, target: str, subpath: str, display: str, kind: str, span: Span, destination: Destination
) -> Link:
    return Link(syntax, target, span[0], span[1], subpath, display.strip(), kind, destination)
