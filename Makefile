# make demo, make test: each makes its own environment first. Nothing but Python 3.11+ and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# EconML, DoWhy, Ray, ONNX and others want other versions of some packages, so they live apart.
BRIDGES := .venv-bridges
# Real benchmark data, where they lie beside the project; tests that need them skip without them.
export PAIRNET_DATA ?= $(realpath $(wildcard ../shared/data))

.PHONY: help demo test bridges check format benchmark docs clean

help:
	@echo "make demo       fit, effect and report on a made table whose true effects are known (a minute)"
	@echo "make test       run the checks and the tests"
	@echo "make bridges    run the tests that need EconML, Ray, DuckDB, PostgreSQL and others (part of make test)"
	@echo "make format     let ruff put the code in order"
	@echo "make docs       build the pages of docs/ into docs/_build"
	@echo "make benchmark  measure speed and memory"
	@echo "make clean      remove the environment"

$(READY): pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'pairnet needs Python 3.11 or newer, this is ' + sys.version.split()[0] + '. Say which to use: make PYTHON=python3.12')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@

demo: $(READY)
	$(BIN)/pairnet demo

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check
	$(BIN)/python -m pytest -n 2 --dist worksteal
	$(MAKE) bridges

$(BRIDGES)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BRIDGES)
	$(BRIDGES)/bin/python -m pip install --quiet --upgrade pip
	$(BRIDGES)/bin/python -m pip install --quiet --editable ".[test,bridges]"
	@touch $@

bridges: $(BRIDGES)/.ready
	$(BRIDGES)/bin/python -m pytest -n 2 --dist worksteal -m bridge

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	$(BIN)/python docs/pictures.py
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build
	@echo "Open docs/_build/index.html"

benchmark: $(READY)
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf $(VENV) $(BRIDGES) .pytest_cache .mypy_cache .ruff_cache
