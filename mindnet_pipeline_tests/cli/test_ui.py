"""`python -m mindnet_pipeline.ui`: what it checks before it starts anything."""

from __future__ import annotations

import socket

import pytest

from mindnet_pipeline import process_group
from mindnet_pipeline.ui import main


def test_a_port_that_none_can_be_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--port", "99999"]) == 2
    assert "--port" in capsys.readouterr().err


def test_a_port_in_use_is_an_error_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[object] = []
    monkeypatch.setattr(process_group, "run_as_group", started.append)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["--port", str(port)]) == 2
    assert started == []
    assert f"127.0.0.1:{port} cannot be used" in capsys.readouterr().err
