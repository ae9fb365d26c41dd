"""The language model's server: messages out, pieces of an answer in, over the OpenAI protocol.

Everything that can go wrong is a `ModelError` whose `problem` says what; the words for people are in `messages.py`. A
server that asks to come back later (429, 503 with Retry-After) is asked once more, if that is soon. The key is sent
and never shown. Not here: what the messages say.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from mindnet_pipeline.conversation.protocol import Delta, Message, ModelError, Problem
from mindnet_pipeline.settings import ChatOptions

_CONNECT_SECONDS = 10
_LONGEST_WAIT = 60
_COME_BACK_LATER = {429, 503}
_DETAIL_CHARACTERS = 200
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_NO_SUCH_MODEL = re.compile(
    r"model.*(?:not found|not exist|not available|unknown|invalid)|unknown model", re.IGNORECASE
)


class ModelClient:
    """One server and one model. `sleep` waits the given seconds."""

    def __init__(self, options: ChatOptions, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._options = options
        self._sleep = sleep

    def stream(self, messages: Sequence[Message]) -> Generator[Delta]:
        """The answer, piece by piece; closing the iterator ends the request.

        Raises:
            ModelError: also in the middle of an answer.
        """
        options = self._options
        body = {
            "model": options.model,
            "messages": list(messages),
            "stream": True,
            "temperature": options.temperature,
            "max_tokens": options.answer_tokens,
        }
        with self._http() as http, _named(options.timeout_seconds):
            if (wait := (yield from self._attempt(http, body, may_wait=True))) is not None:
                self._sleep(wait)
                yield from self._attempt(http, body, may_wait=False)

    def _attempt(
        self, http: httpx2.Client, body: dict[str, Any], *, may_wait: bool
    ) -> Generator[Delta, None, float | None]:
        """One request; returns the seconds to wait before another, or None when it was answered."""
        with http.sse(f"{self._options.url}/chat/completions", method="POST", json=body) as events:
            response = events.response
            if response.status_code != httpx2.codes.OK:
                wait = _retry_after(response) if response.status_code in _COME_BACK_LATER else None
                if may_wait and wait is not None and wait <= _LONGEST_WAIT:
                    return wait
                response.read()
                raise ModelError(self._refusal(http, response, wait))
            yield from _deltas(events)
        return None

    def _http(self) -> httpx2.Client:
        options = self._options
        headers = {"Authorization": f"Bearer {options.api_key}"} if options.api_key else {}
        limits = httpx2.Timeout(options.timeout_seconds, connect=min(_CONNECT_SECONDS, options.timeout_seconds))
        # A proxy of the environment must not see what goes to this machine itself.
        proxied = httpx2.URL(options.url).host not in _LOOPBACK
        return httpx2.Client(headers=headers, timeout=limits, trust_env=proxied)

    def _refusal(self, http: httpx2.Client, response: httpx2.Response, wait: float | None) -> Problem:
        status, detail = response.status_code, _said(response)
        if self._options.api_key:
            detail = detail.replace(self._options.api_key, "…")
        if status in {401, 403}:
            return Problem("unauthorized", detail, status)
        if status == httpx2.codes.TOO_MANY_REQUESTS:
            return Problem("rate_limited", detail, status, wait)
        if status in {400, 404} and _NO_SUCH_MODEL.search(detail):
            return Problem("model_missing", detail, status, models=self._models(http))
        if status in {404, 405} or response.is_redirect:
            return Problem("other_protocol", detail, status)
        return Problem("refused", detail, status, wait)

    def _models(self, http: httpx2.Client) -> tuple[str, ...]:
        """The names of the models that the server lists; none if it does not say."""
        try:
            listed = http.get(f"{self._options.url}/models", timeout=_CONNECT_SECONDS).json()["data"]
            return tuple(sorted(str(model["id"]) for model in listed))
        except (httpx2.HTTPError, ValueError, KeyError, TypeError):
            return ()


class _named:  # noqa: N801 - reads as a clause of a with statement
    """Gives the library's errors our names."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError):
            raise ModelError(Problem("unreachable", _one_line(str(error)))) from error
        if isinstance(error, httpx2.TimeoutException):
            raise ModelError(Problem("timeout", f"{self._seconds:g}")) from error
        if isinstance(error, httpx2.HTTPError | httpx2.StreamError):
            raise ModelError(Problem("broken", _one_line(str(error)))) from error


def _deltas(events: httpx2.EventSource) -> Iterator[Delta]:
    response = events.response
    content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type == "application/json":  # a server that does not stream
        response.read()
        yield _delta(_parsed(response.text), "message", default_finish="stop")
        return
    if content_type != "text/event-stream":
        raise ModelError(Problem("other_protocol", content_type))
    finished = False
    for event in events:
        if event.data.strip() == "[DONE]":
            return
        delta = _delta(_parsed(event.data), "delta")
        finished = finished or bool(delta.finish)
        yield delta
    if not finished:
        raise ModelError(Problem("broken"))


def _delta(value: Any, key: str, default_finish: str = "") -> Delta:
    if isinstance(value, dict) and value.get("error"):
        raise ModelError(Problem("refused", _one_line(_message(value["error"]))))
    try:
        choices = value["choices"]
        if not choices:  # a last line with counts only
            return Delta("")
        choice = choices[0]
        text = (choice.get(key) or {}).get("content") or ""
        return Delta(str(text), str(choice.get("finish_reason") or default_finish))
    except (KeyError, TypeError, AttributeError) as error:
        raise ModelError(Problem("other_protocol", _one_line(str(value)))) from error


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ModelError(Problem("other_protocol", _one_line(text))) from error


def _retry_after(response: httpx2.Response) -> float | None:
    """The seconds that a server asks to wait, written as a number or as a date."""
    written = response.headers.get("retry-after", "").strip()
    if not written:
        return None
    try:
        return max(0.0, float(written))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(written).timestamp() - time.time())
    except ValueError:
        return None


def _said(response: httpx2.Response) -> str:
    """What the server says of its refusal, on one line."""
    try:
        value = response.json()
    except ValueError:
        return "" if "<" in response.text[:1000] else _one_line(response.text)
    if isinstance(value, dict):
        value = value.get("error") or value.get("detail") or value.get("message") or ""
    return _one_line(_message(value))


def _message(error: Any) -> str:
    return str(error.get("message") or "") if isinstance(error, dict) else str(error)


def _one_line(text: str) -> str:
    flat = "".join(sign if sign.isprintable() else " " for sign in text)
    flat = " ".join(flat.split())
    return flat if len(flat) <= _DETAIL_CHARACTERS else flat[:_DETAIL_CHARACTERS] + " …"
