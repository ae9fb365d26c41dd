"""The client against a real server on this machine: what comes through, and what each mishap is called."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path

import pytest

from mindnet_pipeline.conversation.client import ModelClient
from mindnet_pipeline.conversation.protocol import Delta, ModelError, Problem
from mindnet_pipeline.settings import ChatOptions
from mindnet_pipeline_tests.conversation import model_server as reply
from mindnet_pipeline_tests.conversation.model_server import ModelServer, delta, event

RECORDED = Path(__file__).parent / "recorded"
ASKED = [{"role": "user", "content": "Warum?"}]


def options(server: ModelServer, **others: object) -> ChatOptions:
    return ChatOptions(url=server.url, **others)


def said(server: ModelServer, **others: object) -> str:
    return "".join(piece.text for piece in ModelClient(options(server, **others)).stream(ASKED))


def problem(server: ModelServer, sleep: Callable[[float], None] = time.sleep, **others: object) -> Problem:
    with pytest.raises(ModelError) as caught:
        list(ModelClient(options(server, **others), sleep=sleep).stream(ASKED))
    return caught.value.problem


# --- what comes through


def test_an_answer_comes_piece_by_piece(server: ModelServer) -> None:
    server.says(reply.speaks("Weil Über-Größe zählt.", piece=4))
    pieces = list(ModelClient(options(server)).stream(ASKED))
    assert [piece.text for piece in pieces][:3] == ["Weil", " Übe", "r-Gr"]
    assert pieces[-2] == Delta("", "stop")


def test_bytes_may_be_cut_anywhere(server: ModelServer) -> None:
    stream = event(delta("Größe ")) + event(delta("zählt 🌱.", "stop")) + b"data: [DONE]\n\n"
    for size in (1, 2, 5):
        assert said(server.says(reply.sends(stream, size=size))) == "Größe zählt 🌱."


def test_line_ends_and_fields_of_other_servers_are_understood(server: ModelServer) -> None:
    stream = b"event: message\r\nid: 1\r\ndata:" + event(delta("Ja.", "stop"))[5:].replace(b"\n\n", b"\r\n\r\n")
    assert said(server.says(reply.sends(stream))) == "Ja."


def test_a_recorded_answer_of_llama_cpp_is_understood(server: ModelServer) -> None:
    """24 tokens of a base model of 270 million parameters: what they say is nonsense, how it is sent is not."""
    server.says(reply.sends((RECORDED / "llama_cpp.sse").read_bytes(), size=100))
    pieces = list(ModelClient(options(server)).stream(ASKED))
    assert "".join(piece.text for piece in pieces).startswith(".\n\n<h2><strong><em>The 1000th episode")
    assert pieces[-1] == Delta("", "length")


def test_the_request_is_what_the_protocol_asks_for(server: ModelServer) -> None:
    said(server, model="m", temperature=0.5, answer_tokens=99)
    (request,) = server.requests
    assert request == {
        "path": "/v1/chat/completions", "model": "m", "messages": ASKED, "stream": True, "temperature": 0.5,
        "max_tokens": 99,
    }  # fmt: skip


def test_a_server_that_does_not_stream_is_understood(server: ModelServer) -> None:
    whole = {"choices": [{"message": {"role": "assistant", "content": "Ja."}, "finish_reason": "stop"}]}
    assert said(server.says(reply.refuses(200, whole))) == "Ja."


def test_the_end_at_the_limit_is_told(server: ModelServer) -> None:
    server.says(reply.speaks("Weil", finish="length"))
    assert "length" in [piece.finish for piece in ModelClient(options(server)).stream(ASKED)]


def test_the_key_is_sent_and_without_one_nothing_is(server: ModelServer) -> None:
    said(server, api_key="geheim")
    said(server)
    assert [headers.get("Authorization") for headers in server.headers] == ["Bearer geheim", None]


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert said(server) == "Weil die Notizen im Haus bleiben [1]."


def test_an_answer_that_is_not_read_to_the_end_ends_the_request(server: ModelServer) -> None:
    gone = threading.Event()

    def talks_for_ever(handler: reply.Handler) -> None:
        try:
            with handler.streaming() as chunk:
                while True:
                    chunk(event(delta("bla ")) * 1000)
        except OSError:
            gone.set()

    pieces = ModelClient(options(server.says(talks_for_ever))).stream(ASKED)
    next(pieces)
    pieces.close()
    assert gone.wait(20)


# --- mishaps


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert problem(ModelServer(port=port)).kind == "unreachable"


def test_a_name_that_does_not_exist_is_unreachable() -> None:
    client = ModelClient(ChatOptions(url="http://no-such-host.invalid/v1"))
    with pytest.raises(ModelError) as caught:
        list(client.stream(ASKED))
    assert caught.value.problem.kind == "unreachable"


def test_silence_is_a_timeout(server: ModelServer) -> None:
    release = threading.Event()
    server.says(reply.hangs(release, "Weil "))
    assert problem(server, timeout_seconds=0.3) == Problem("timeout", "0.3")
    release.set()


@pytest.mark.parametrize("ending", [reply.breaks_off, reply.ends_early])
def test_a_stream_that_ends_without_an_end_is_broken(server: ModelServer, ending: Callable[[str], reply.Reply]) -> None:
    pieces = ModelClient(options(server.says(ending("Weil die ")))).stream(ASKED)
    assert next(pieces).text == "Weil die "
    with pytest.raises(ModelError) as caught:
        list(pieces)
    assert caught.value.problem.kind == "broken"


def test_a_wrong_key_is_told_with_what_the_server_says_but_never_the_key(server: ModelServer) -> None:
    server.says(reply.refuses(401, {"error": {"message": "Incorrect API key provided: geheim."}}))
    assert problem(server, api_key="geheim") == Problem("unauthorized", "Incorrect API key provided: ….", 401)


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_to_come_back_is_asked_once_more(server: ModelServer, status: int) -> None:
    waited: list[float] = []
    server.says(reply.refuses(status, {"error": {"message": "busy"}}, Retry_After="7"), "Ja.")
    pieces = ModelClient(options(server), sleep=waited.append).stream(ASKED)
    assert "".join(piece.text for piece in pieces) == "Ja."
    assert waited == [7]


def test_a_server_that_stays_busy_is_told_with_its_wait(server: ModelServer) -> None:
    waited: list[float] = []
    server.says(reply.refuses(429, {"error": {"message": "slow down"}}, Retry_After="7"))
    assert problem(server, waited.append) == Problem("rate_limited", "slow down", 429, 7)
    assert (waited, len(server.requests)) == ([7], 2)


def test_a_date_to_come_back_is_understood(server: ModelServer) -> None:
    waited: list[float] = []
    server.says(reply.refuses(429, Retry_After=formatdate(time.time() + 30, usegmt=True)), "Ja.")
    list(ModelClient(options(server), sleep=waited.append).stream(ASKED))
    assert 20 < waited[0] <= 30


@pytest.mark.parametrize("written", ["3600", "", "soon"])
def test_nobody_waits_for_long_or_without_being_told_how_long(server: ModelServer, written: str) -> None:
    waited: list[float] = []
    server.says(reply.refuses(429, **({"Retry_After": written} if written else {})))
    assert problem(server, waited.append).kind == "rate_limited"
    assert waited == []


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": 'model "phi3:mini" not found, try pulling it first', "type": "api_error"}},
        {"error": {"message": "The model `phi3:mini` does not exist.", "code": "model_not_found"}},
    ],
    ids=["ollama", "openai"],
)
def test_a_model_that_is_not_there_is_told_with_those_that_are(server: ModelServer, body: dict) -> None:
    server.models = ("llama3.2", "gemma3")
    found = problem(server.says(reply.refuses(404, body)))
    assert (found.kind, found.models) == ("model_missing", ("gemma3", "llama3.2"))


def test_a_server_that_lists_no_models_names_none(server: ModelServer) -> None:
    server.models = ()
    found = problem(server.says(reply.refuses(404, {"error": {"message": "model not found"}})))
    assert (found.kind, found.models) == ("model_missing", ())


@pytest.mark.parametrize(
    "other",
    [
        reply.refuses(404, "<html>Not Found</html>", "text/html"),
        reply.refuses(200, "<html>Welcome</html>", "text/html"),
        reply.refuses(200, {"hello": "world"}),
        reply.refuses(302, "", Location="/login"),
        reply.sends(b"data: not json\n\n"),
    ],
)
def test_another_protocol_is_told(server: ModelServer, other: reply.Reply) -> None:
    assert problem(server.says(other)).kind == "other_protocol"


def test_an_error_of_the_server_is_told_in_its_words_on_one_line(server: ModelServer) -> None:
    server.says(reply.refuses(500, {"error": "out of\nmemory \x1b[31m" + "x" * 500}))
    found = problem(server)
    assert (found.kind, found.status, found.detail[:15]) == ("refused", 500, "out of memory [")
    assert len(found.detail) < 250


def test_an_error_in_the_middle_of_a_stream_is_told(server: ModelServer) -> None:
    server.says(reply.sends(event(delta("Weil ")) + event({"error": {"message": "the model crashed"}})))
    assert problem(server) == Problem("refused", "the model crashed")
