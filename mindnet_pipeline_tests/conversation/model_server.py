"""A server on this machine that speaks the OpenAI protocol and answers as a test has told it to.

What it sends is written as real servers send it (Ollama, llama.cpp, OpenAI): server-sent events for a stream, JSON for
the rest. It keeps every request it was sent. Also runs by itself, for trials by hand: `python model_server.py PORT`.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[["Handler"], None]


@dataclass
class ModelServer:
    """The server's script and its memory. `replies` are given in their order, the last one again and again."""

    replies: list[Reply] = field(default_factory=list)
    models: Sequence[str] = ("phi3:mini",)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def says(self, *replies: Reply | str) -> ModelServer:
        """Answer the next questions so."""
        self.replies = [speaks(reply) if isinstance(reply, str) else reply for reply in replies]
        return self

    @property
    def asked(self) -> str:
        """The last message of the last request."""
        return self.requests[-1]["messages"][-1]["content"]


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    script: ModelServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.script.requests.append({"path": self.path, **json.loads(body)})
        self.script.headers.append(dict(self.headers))
        replies = self.script.replies
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        reply(self)

    def do_GET(self) -> None:
        if self.path == "/v1/models" and self.script.models:
            self.send(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.script.models]})
        else:
            self.send(404, "<html>Not Found</html>", "text/html")

    def send(self, status: int, body: Any, content_type: str = "application/json", **headers: str) -> None:
        """A whole reply."""
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": content_type, "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    @contextmanager
    def streaming(self) -> Iterator[Callable[[bytes], None]]:
        """A reply in chunks; left by an exception, it breaks off without an end."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

        def chunk(data: bytes) -> None:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

        yield chunk
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_arguments: object) -> None:
        """Be quiet."""


def event(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def delta(text: str, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "phi3:mini", "choices": [choice]}


def speaks(text: str, *, finish: str = "stop", piece: int = 3, pause: float = 0) -> Reply:
    """The text as a stream, a few characters an event, then usage without choices, then the end."""

    def reply(handler: Handler) -> None:
        with handler.streaming() as chunk:
            for start in range(0, len(text), piece):
                chunk(event(delta(text[start : start + piece])))
                time.sleep(pause)
            chunk(b": a comment that keeps the connection open\n\n")
            chunk(event(delta("", finish)) + event({"choices": [], "usage": {"total_tokens": 9}}) + b"data: [DONE]\n\n")

    return reply


def sends(data: bytes, *, size: int = 7) -> Reply:
    """Recorded bytes of a stream, in chunks that respect neither events nor characters."""

    def reply(handler: Handler) -> None:
        with handler.streaming() as chunk:
            for start in range(0, len(data), size):
                chunk(data[start : start + size])

    return reply


def breaks_off(text: str) -> Reply:
    """The text, and then the connection is gone."""

    def reply(handler: Handler) -> None:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        data = event(delta(text))
        handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    return reply


def ends_early(text: str) -> Reply:
    """The text and a proper end of the reply, but none of the answer."""

    def reply(handler: Handler) -> None:
        with handler.streaming() as chunk:
            chunk(event(delta(text)))

    return reply


def hangs(until: threading.Event, text: str = "") -> Reply:
    """The text, then nothing until the event is set."""

    def reply(handler: Handler) -> None:
        with handler.streaming() as chunk:
            if text:
                chunk(event(delta(text)))
            until.wait(30)

    return reply


def refuses(status: int, body: Any = "", content_type: str = "application/json", **headers: str) -> Reply:
    return lambda handler: handler.send(status, body, content_type, **headers)


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """The server, listening on a port of its own."""
    script = ModelServer([speaks("Weil die Notizen im Haus bleiben [1].")])
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Scripted", (Handler,), {"script": script}))
    server.daemon_threads = True
    server.handle_error = lambda *_arguments: None  # a client that goes away is what some tests want
    script.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    said = "Weil die **Notizen im Haus** bleiben [1], und wegen [9] nichts.\n\n1. Eins [2]\n2. Zwei\n\nEnde."
    Handler.script = ModelServer([speaks(said, pause=0.05)])
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
