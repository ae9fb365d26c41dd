"""The section `chat` of config/pipeline.yaml: which language model speaks, and how much it is given."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from mindnet_pipeline.settings.reading import Strict


class ChatOptions(Strict):
    """The language model and the limits of a conversation. The key for a server comes from the environment only."""

    url: str = "http://127.0.0.1:11434/v1"
    model: str = Field(default="phi3:mini", min_length=1)
    timeout_seconds: float = Field(default=120, gt=0)
    context_tokens: int = Field(default=4096, ge=1024)
    answer_tokens: int = Field(default=700, ge=16)
    temperature: float = Field(default=0.2, ge=0, le=2)
    passages: int = Field(default=8, ge=1, le=99)
    history_turns: int = Field(default=4, ge=0)
    relevance: float = Field(default=0.3, ge=0, le=1)
    api_key: str = Field(default="", repr=False, exclude=True)

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.username or parts.password:
            raise ValueError("holds a name or a password; a key belongs in the variable MINDNET_LLM_API_KEY")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"`{url}` is no address; write one such as http://127.0.0.1:11434/v1")
        return url.rstrip("/")

    @model_validator(mode="after")
    def _leaves_room(self) -> ChatOptions:
        if self.answer_tokens > self.context_tokens // 2:
            raise ValueError(
                f"chat.answer_tokens ({self.answer_tokens}) may be at most half of context_tokens "
                f"({self.context_tokens}), so that passages have room"
            )
        return self
