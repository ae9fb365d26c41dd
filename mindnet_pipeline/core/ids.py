"""Every identifier of mindnet is made here and nowhere else: note ids, partition keys, chunk, edge and point ids.

Pure and deterministic: the same vault gives the same ids, whatever the order of its files.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
import uuid
from collections.abc import Mapping

_POINT_NAMESPACE = uuid.UUID("6d696e64-6e65-5470-8f69-6e7473000001")
_POINT_NAMESPACE_BYTES = _POINT_NAMESPACE.bytes
_UUID_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
_MAX_KEY_CHARACTERS = 200
_UNFIT_FOR_KEYS = re.compile(r"\.\.\.|[\x00-\x1f\x7f\u2028\u2029]+")


def nfc(text: str) -> str:
    r"""Unicode NFC: composed and decomposed spellings become one.

    >>> nfc("Ma\u0308rz") == "M\u00e4rz"
    True
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold(text: str) -> str:
    """The form in which names are compared: NFC, trimmed, lower-cased (no `ß` folding, as Obsidian does it).

    >>> fold("  Straße "), fold("STRASSE")
    ('straße', 'strasse')
    """
    return nfc(nfc(text).lower()).strip()


def sha256(text: str) -> str:
    """Hex sha256 of the text in UTF-8 (lone surrogates kept)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sha256_of_bytes(data: bytes) -> str:
    """Hex sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def path_id(path: str) -> str:
    """The note id of a note without an `id`: its path without `.md`, in NFC.

    >>> path_id("Ordner/Notiz.md")
    'Ordner/Notiz'
    """
    return nfc(path[:-3] if path.lower().endswith(".md") else path)


def assign_note_ids(declared: Mapping[str, str]) -> dict[str, str]:
    """One distinct note id for each path, from the ids that the notes declare (`""` for none).

    The path that is shorter, then lexicographically smaller, keeps a contested id; the others get
    `<id>~<8 hex of sha256(path)>`. The result does not depend on the mapping's order.

    >>> assign_note_ids({"b.md": "x", "a.md": "x", "c.md": ""})["a.md"]
    'x'
    """
    assigned: dict[str, str] = {}
    taken: set[str] = set()
    for path in sorted(declared, key=lambda p: (len(p), p)):
        wanted = nfc(declared[path]).strip() or path_id(path)
        digest, length = sha256(path), 8
        note_id = wanted
        while note_id in taken:
            note_id = f"{wanted}~{digest[:length]}"
            length += 1
        taken.add(note_id)
        assigned[path] = note_id
    return assigned


def contested_id(note_id: str, path: str) -> str:
    """The id that a note wanted and another one keeps, told by the digest of its path in its note_id; empty: its own.

    >>> contested_id(assign_note_ids({"a.md": "x", "b.md": "x"})["b.md"], "b.md")
    'x'
    """
    wanted, _, suffix = note_id.rpartition("~")
    return wanted if wanted and len(suffix) >= 8 and sha256(path).startswith(suffix) else ""


def partition_key(note_id: str) -> str:
    """The Dagster partition key of a note: readable, one line, without `...`, at most 200 characters.

    >>> partition_key("a...b")
    'a…b~eaf7617e'
    """
    key = _UNFIT_FOR_KEYS.sub(lambda m: "…" if m[0] == "..." else " ", nfc(note_id)).strip()
    if key == note_id and len(key) <= _MAX_KEY_CHARACTERS:
        return key
    return f"{key[: _MAX_KEY_CHARACTERS - 10]}~{sha256(note_id)[:8]}"


def chunk_id(note_id: str, index: int) -> str:
    """The id of a note's chunk, counted from 1.

    >>> chunk_id("qdrant", 2)
    'qdrant#c02'
    """
    return f"{note_id}#c{index:02d}"


def edge_id(source_id: str, target_id: str, kind: str, scope: str, rule_id: str) -> str:
    """The id of an edge: a digest of its deduplication key."""
    return sha256(f"{source_id}\x1f{target_id}\x1f{kind}\x1f{scope}\x1f{rule_id}")[:32]


def point_id(logical_id: str) -> str:
    """The Qdrant point id (a uuid5) of a note, chunk or edge id; spelled out, because `uuid` takes ten times as long.

    The sync computes hundreds of thousands of them.

    >>> point_id("qdrant") == str(uuid.uuid5(_POINT_NAMESPACE, "qdrant"))
    True
    """
    name = hashlib.sha1(_POINT_NAMESPACE_BYTES + logical_id.encode(), usedforsecurity=False).hexdigest()
    return f"{name[:8]}-{name[8:12]}-5{name[13:16]}-{_UUID_VARIANT[name[16]]}{name[17:20]}-{name[20:32]}"
