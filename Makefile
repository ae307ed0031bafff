# Every target sets up what it needs: Python 3.11 or later and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test test-all coverage check format calibration power alignment bench studies studies-quick clean

PYTEST := $(BIN)/python -m pytest -q -n auto --dist worksteal
FAST := -m 'not slow'

help:  ## List the commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "curvewise needs Python 3.11 or later; set PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo "$(PYTHON) cannot make virtual environments; install its venv package"; exit 1; }
	@echo "Setting up $(VENV) (once; a minute or two) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

demo: $(READY)  ## Compare the embedded curves: a verdict, a table, a figure
	@$(BIN)/curvewise demo

test: $(READY)  ## Run the fast tests (under five minutes on two cores)
	@$(PYTEST) $(FAST)

test-all: $(READY)  ## Run all tests
	@$(PYTEST)

coverage: $(READY)  ## List the lines and branches that the fast tests do not reach
	@$(PYTEST) $(FAST) --cov=curvewise

check: $(READY)  ## Check style, types and import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(READY)  ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

calibration: $(READY)  ## Measure how often curvewise is wrong; writes docs/calibration.md (40 minutes)
	@$(BIN)/python -m studies.calibration

power: $(READY)  ## Measure how much the tests find; writes docs/measured-power.md (a quarter of an hour)
	@$(BIN)/python -m studies.power

alignment: $(READY)  ## Measure common steps and failing runs; writes docs/alignment.md (a quarter of an hour)
	@$(BIN)/python -m studies.alignment

bench: $(READY)  ## Measure curvewise and its peers in one run (about five minutes)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@$(BIN)/python -m benchmarks.bench

studies: $(READY)  ## Repeat the papers' experiments; writes studies/out/index.html
	@$(BIN)/python -m studies

studies-quick: $(READY)  ## The same in a reduced form (a minute); writes studies/out/quick/index.html
	@$(BIN)/python -m studies --quick

clean:  ## Remove the virtual environment and caches
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage*
	@find src studies tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
