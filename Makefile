# `make demo` and `make test` need Python 3.11 or newer and make; everything else lands in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Matrices are small: threads of BLAS would only wait for each other, and for those of the other test process.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

# PROTES is installed without what it asks for: its bounds on JAX and NumPy exclude versions that it works with.
PROTES := 'protes>=0.3.12,<0.4'

.PHONY: demo tour test test-more test-lowest lint bench research-ready docs docs-serve release-check clean

# The first run compiles a few loops, which takes some seconds before the bar moves. One thread, because the matrices are
# small: on a busy machine several would wait for each other.
demo: $(VENV)/.demo-ready
	@$(BIN)/python examples/pressure_vessel.py

tour: $(VENV)/.demo-ready
	@$(BIN)/python examples/tour.py

test: $(VENV)/.test-ready lint
	@echo "The tests take about eight minutes on two cores."
	$(BIN)/pytest -n 2 --dist worksteal

# Properties with new random examples, and more of them: for the night. A failing one is printed so that it can be seen again.
test-more: $(VENV)/.test-ready
	@echo "With new examples the tests take about half an hour on two cores."
	HEDGEROW_EXAMPLES=more $(BIN)/pytest -n 2 --dist worksteal

# The suite on the lowest versions that pyproject.toml allows, in an environment of its own.
LOWEST := .venv-lowest
test-lowest:
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable '.[dev]'
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --no-deps $(PROTES)
	@echo "The tests take about six minutes on two cores."
	$(LOWEST)/bin/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.test-ready
	$(BIN)/ruff check src tests research examples
	$(BIN)/ruff format --check src tests research examples
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.test-ready
	$(BIN)/python -m research rules

# Everything that `python -m research` compares with, beside what the tests need.
research-ready: $(VENV)/.research-ready

# The documentation site, into site/; a broken link is an error.
docs: $(VENV)/.docs-ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs-serve: $(VENV)/.docs-ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

# What is uploaded: built in an empty environment, read as PyPI reads it, installed alone, and asked for its version.
release-check: $(BIN)/python
	rm -rf $(VENV)/dist $(VENV)/fresh
	$(BIN)/python -m pip install --quiet build twine
	$(BIN)/python -m build --outdir $(VENV)/dist .
	$(BIN)/python -m twine check --strict $(VENV)/dist/*
	$(PYTHON) -m venv $(VENV)/fresh
	$(VENV)/fresh/bin/python -m pip install --quiet $(VENV)/dist/*.whl
	$(VENV)/fresh/bin/hedgerow --version

clean:
	rm -rf site $(VENV) $(LOWEST) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Hedgerow needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo-ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[plots]'
	touch $@

$(VENV)/.docs-ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

$(VENV)/.test-ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps $(PROTES)
	touch $@ $(VENV)/.demo-ready

$(VENV)/.research-ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev,research]'
	$(BIN)/python -m pip install --quiet --no-deps $(PROTES)
	touch $@ $(VENV)/.test-ready $(VENV)/.demo-ready
