"""What a model wants before a question and before a document; the same in every engine."""

from __future__ import annotations

import re
from collections.abc import Mapping

_E5 = re.compile(r"(^|-)e5-")


def prompts_of(model: str, configured: Mapping[str, str]) -> tuple[str, str]:
    """(before a question, before a document): what the model's configuration says, else what is known of its family.

    `model` is what it is called (`sources.model_name`), not where it is.

    >>> prompts_of("multilingual-e5-base", {})
    ('query: ', 'passage: ')
    >>> prompts_of("all-MiniLM-L6-v2", {"query": "", "document": ""})
    ('', '')
    """
    # The e5 models were trained with these; their configuration does not say so.
    usual = ("query: ", "passage: ") if _E5.search(model) else ("", "")
    return (
        configured.get("query") or usual[0],
        configured.get("document") or configured.get("passage") or usual[1],
    )
