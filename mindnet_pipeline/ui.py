"""`python -m mindnet_pipeline.ui`: the Dagster UI, the sensor and the schedules, with a persistent home."""

from __future__ import annotations

import os
import socket
import sys
from typing import Annotated

import typer

from mindnet_pipeline import cli

app = typer.Typer(add_completion=False)


@app.command(
    epilog="Example: MINDNET_VAULT=~/Notes python -m mindnet_pipeline.ui --port 3000",
)
def ui(
    port: Annotated[int, typer.Option(min=1, max=65_535, help="Port of the web page.")] = 3000,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    vault: Annotated[str | None, typer.Option(help="Folder of the vault; else MINDNET_VAULT or pipeline.yaml.")] = None,
    data: Annotated[str | None, typer.Option(help="Data folder; else MINDNET_DATA or pipeline.yaml.")] = None,
) -> None:
    """Start the web page, the vault sensor and the schedules. Stop with Ctrl-C."""
    from mindnet_pipeline.dagster_home import use_dagster_home
    from mindnet_pipeline.defs.events import use_bulk_events
    from mindnet_pipeline.engine.first_model import prepare_before_first_sync
    from mindnet_pipeline.process_group import run_as_group

    _check_that_free(host, port)
    settings = cli.load_settings(vault=vault, data=data)
    os.environ["MINDNET_VAULT"], os.environ["MINDNET_DATA"] = str(settings.vault), settings.data
    use_dagster_home(settings)
    use_bulk_events()
    prepare_before_first_sync(settings, typer.echo)
    typer.echo(f"mindnet: vault {settings.vault}\n         data  {settings.data}\n         open  http://{host}:{port}")
    command = [
        sys.executable,
        "-m",
        "dagster",
        "dev",
        "-m",
        "mindnet_pipeline.definitions",
        "-h",
        host,
        "-p",
        str(port),
    ]
    raise typer.Exit(run_as_group(command))


def _check_that_free(host: str, port: int) -> None:
    """Stop before anything is started: without its page, Dagster would go on, and a second sensor beside the first."""
    from mindnet_pipeline.core.errors import ConfigError

    try:
        with socket.create_server((host, port)):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(
            f"{host}:{port} cannot be used ({reason}). If mindnet runs there already, open http://{host}:{port}; "
            "else choose another --port."
        ) from error


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet ui")


if __name__ == "__main__":
    sys.exit(main())
