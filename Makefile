# The two commands of the README are `make demo` and `make test`. All of them set up what they need and may be repeated.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup demo ui test quick lint clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt setup.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[dev]"
	touch $(READY)

demo: export MINDNET_DATA = data
demo: export MINDNET_VAULT = vault_sample
demo: setup  ## materialise vault_sample through Dagster, ask a question
	@$(BIN)/python -m mindnet_pipeline.sync
	@echo
	@$(BIN)/python -m mindnet_pipeline.query "Warum nutzen wir Qdrant?" -k 3 --explain
	@echo
	@echo "The graph, its checks and the sensor in the Dagster UI: make ui, then open http://127.0.0.1:3000"

ui: setup  ## Dagster UI, sensor and schedules
	@$(BIN)/python -m mindnet_pipeline.ui

test: setup lint  ## everything
	$(BIN)/python -m pytest -n auto --dist worksteal

quick: setup  ## without the slow tests
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) data .pytest_cache .mypy_cache .ruff_cache
