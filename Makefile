# Every target sets up what it needs: Python 3.11 or later and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
READY := $(VENV)/.ready
SITE := $(VENV)/.site
# Bytecode is compiled when it is first needed, which takes less time than compiling all of it.
INSTALL = if command -v uv > /dev/null; \
	then uv pip install --quiet --python $(BIN)/python $(1); \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $(1); fi

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-all coverage check docs format calibration power alignment fuzz bench schemas studies studies-quick clean

# Bytecode is kept even where it is not wanted elsewhere: without it each of the many processes
# that the tests start would compile the package again.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist worksteal
FAST := -m 'not slow'

help:  ## List the commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What users need, with uv where there is one: it takes seconds, pip about a minute.
$(RUNTIME): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "curvewise needs Python 3.11 or later; set PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo "$(PYTHON) cannot make virtual environments; install its venv package"; exit 1; }
	@echo "Installing curvewise and what it needs into $(VENV) (once; about 650 MB, a minute or so) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(call INSTALL,--editable .)
	@touch $(RUNTIME)

# What contributors need besides: test tools, checkers, clusters, a driver for browsers.
$(READY): $(RUNTIME)
	@echo "Adding what tests need (once; about 700 MB, another minute or two) ..."
	@$(call INSTALL,--editable '.[dev]')
	@touch $(READY)

# What the documentation site is built with.
$(SITE): $(RUNTIME)
	@echo "Adding what the documentation needs (once; about 100 MB) ..."
	@$(call INSTALL,--editable '.[docs]')
	@touch $(SITE)

demo: $(RUNTIME)  ## Compare the embedded curves: a verdict, a table, a figure
	@$(BIN)/curvewise demo

test: $(READY)  ## Run the fast tests (under five minutes on two cores)
	@$(PYTEST) $(FAST)

test-slow: $(READY)  ## Run the other tests
	@$(PYTEST) -m slow

test-all: $(READY)  ## Run all tests, fast and slow
	@$(PYTEST)

coverage: $(READY)  ## List the lines and branches that the fast tests do not reach
	@$(PYTEST) $(FAST) --cov=curvewise

check: $(READY)  ## Check style, types and import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

docs: $(SITE)  ## Build the documentation site, offline, and check its links; writes docs/_build/index.html
	@$(BIN)/python -m sphinx -W -n --keep-going -q -b html docs docs/_build
	@$(BIN)/python -m docs.building.links docs/_build

format: $(READY)  ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

calibration: $(READY)  ## Measure how often curvewise is wrong; writes docs/calibration.md (40 minutes)
	@$(BIN)/python -m studies.calibration

power: $(READY)  ## Measure how much the tests find; writes docs/measured-power.md (a quarter of an hour)
	@$(BIN)/python -m studies.power

alignment: $(READY)  ## Measure common steps and failing runs; writes docs/alignment.md (a quarter of an hour)
	@$(BIN)/python -m studies.alignment

SEED ?= 0
CASES ?= 2000
fuzz: $(READY)  ## Mutated tables, logs, frames, options, checkpoints through every command (ten minutes)
	@$(BIN)/python -m fuzzing --seed $(SEED) $(if $(CASE),--case $(CASE),--cases $(CASES))

schemas: $(RUNTIME)  ## Write docs/schemas: what --json of every command prints
	@$(BIN)/python docs/write_schemas.py

bench: $(READY)  ## Measure curvewise and its peers in one run (about five minutes)
	@$(call INSTALL,--editable '.[bench]')
	@$(BIN)/python -m benchmarks.bench

studies: $(READY)  ## Repeat the papers' experiments; writes studies/out/index.html
	@$(BIN)/python -m studies

studies-quick: $(READY)  ## The same in a reduced form (a minute); writes studies/out/quick/index.html
	@$(BIN)/python -m studies --quick

clean:  ## Remove the virtual environment and caches
	@rm -rf $(VENV) docs/_build docs/generated .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage*
	@find src studies tests benchmarks docs fuzzing -name __pycache__ -type d -prune -exec rm -rf {} +
