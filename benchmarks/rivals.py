"""Other chunkers behind one signature, for comparison: (size in tokens, token counter) → a function that cuts a text.

Optional and imported when asked for: `pip install semantic-text-splitter chonkie langchain-text-splitters`.
"""

# ruff: noqa: PLC0415 optional packages

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from mindnet_pipeline.core.tokens import TokenCounter

Splitter = Callable[[str], list[str]]


def langchain(size: int, counter: TokenCounter) -> Splitter:
    """LangChain's recursive splitter without overlap, as in Chroma's evaluation."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size,
        chunk_overlap=0,
        length_function=lambda part: len(counter.token_offsets(part)),
        separators=["\n\n", "\n", ".", "?", "!", " ", ""],
    )
    return lambda text: list(splitter.split_text(text))


def semantic_text_splitter(size: int, counter: TokenCounter) -> Splitter:
    """The Markdown splitter of text-splitter."""
    from semantic_text_splitter import MarkdownSplitter

    splitter = MarkdownSplitter.from_callback(lambda part: len(counter.token_offsets(part)), size)
    return lambda text: list(splitter.chunks(text))


def chonkie(size: int, counter: TokenCounter) -> Splitter:
    """Chonkie's recursive chunker."""
    from chonkie import RecursiveChunker

    chunker = RecursiveChunker(tokenizer=_chonkie_tokenizer(counter), chunk_size=size)
    return lambda text: [chunk.text for chunk in chunker.chunk(text)]


def _chonkie_tokenizer(counter: TokenCounter) -> Any:
    """The counter as a tokenizer of Chonkie's, whose tokens are the pieces of the text themselves."""
    from chonkie.tokenizer import Tokenizer

    class Pieces(Tokenizer):
        def __repr__(self) -> str:
            return "Pieces()"

        def tokenize(self, text: str) -> list[str]:
            borders = [0, *counter.token_offsets(text)[1:], len(text)]
            return [text[a:b] for a, b in pairwise(borders)]

        encode = tokenize

        def decode(self, tokens: list[str]) -> str:
            return "".join(tokens)

        def count_tokens(self, text: str) -> int:
            return len(counter.token_offsets(text))

    return Pieces()


RIVALS = {
    "langchain recursive": langchain,
    "semantic-text-splitter": semantic_text_splitter,
    "chonkie recursive": chonkie,
}
