# Every target sets up what it needs: Python 3.11 or later and make are enough.
ifeq ($(OS),Windows_NT)
PYTHON ?= python
SCRIPTS := Scripts
SHELL := bash
else
PYTHON ?= python3
SCRIPTS := bin
endif
VENV := .venv
BIN := $(VENV)/$(SCRIPTS)
RUNTIME := $(VENV)/.runtime
READY := $(VENV)/.ready
SITE := $(VENV)/.site
# Packages for the tests with other versions of them are kept apart.
OLDEST := .venv-oldest
NEWEST := .venv-newest
LEAST := .venv-least
EMPTY := .venv-empty
# Bytecode is compiled when it is first needed, which takes less time than compiling all of it.
INSTALL = if command -v uv > /dev/null; \
	then uv pip install --quiet --python $(BIN)/python $(1); \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $(1); fi

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-all coverage check docs format calibration power alignment fuzz bench other-tools house schemas studies studies-quick clean

.PHONY: style wheel release-check test-oldest test-newest test-least

# Bytecode is kept even where it is not wanted elsewhere: without it each of the many processes
# that the tests start would compile the package again.
PYTEST_OF = PYTHONDONTWRITEBYTECODE= $(1)/$(SCRIPTS)/python -m pytest -q -n auto --dist worksteal
PYTEST := $(call PYTEST_OF,$(VENV))
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

# What contributors need besides: test tools, checkers, clusters, a driver for browsers. Tests import
# most of it in many processes, so here all bytecode is compiled (but for a few files that are not
# meant to be), which takes half a minute on two cores.
$(READY): $(RUNTIME)
	@echo "Adding what tests need (once; about 700 MB, another minute or two) ..."
	@$(call INSTALL,--editable '.[dev]')
	@$(BIN)/python -m compileall -q -j 0 $(VENV) > /dev/null || true
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

# The oldest version of each package that pyproject.toml promises to work with, as far as there is a
# wheel of it for this Python. Old packages may warn of newer ones.
test-oldest:  ## Run the fast tests with the oldest packages that are promised
	@echo "Installing the oldest packages that are promised into $(OLDEST) (about 1 GB, a minute or so) ..."
	@$(PYTHON) -m venv --clear $(OLDEST)
	@$(OLDEST)/$(SCRIPTS)/python -m pip install --quiet --disable-pip-version-check uv
	@$(OLDEST)/$(SCRIPTS)/uv pip compile --quiet --python $(OLDEST)/$(SCRIPTS)/python --resolution lowest-direct \
		--only-binary :all: --extra all --extra test pyproject.toml --output-file $(OLDEST)/packages.txt
	@$(OLDEST)/$(SCRIPTS)/uv pip install --quiet --python $(OLDEST)/$(SCRIPTS)/python -r $(OLDEST)/packages.txt
	@$(OLDEST)/$(SCRIPTS)/uv pip install --quiet --python $(OLDEST)/$(SCRIPTS)/python --no-deps --editable .
	@PYTHONWARNINGS=ignore::DeprecationWarning $(call PYTEST_OF,$(OLDEST)) $(FAST) -W ignore::DeprecationWarning

test-newest:  ## Run the fast tests with the newest packages, in an environment made anew
	@echo "Installing the newest packages into $(NEWEST) (about 1.4 GB, a minute or two) ..."
	@$(PYTHON) -m venv --clear $(NEWEST)
	@$(NEWEST)/$(SCRIPTS)/python -m pip install --quiet --disable-pip-version-check --no-compile --upgrade --editable '.[dev]'
	@$(call PYTEST_OF,$(NEWEST)) $(FAST)

# Modules of compiled functions are not looked into for examples: there are none, and pytest would
# leave what it could not import half imported.
test-least:  ## Run the fast tests without any package that may be missing
	@echo "Installing as little as possible into $(LEAST) (about 450 MB, a minute or so) ..."
	@$(PYTHON) -m venv --clear $(LEAST)
	@$(LEAST)/$(SCRIPTS)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[test]'
	@$(LEAST)/$(SCRIPTS)/python -m pip uninstall --quiet --yes numba llvmlite
	@$(call PYTEST_OF,$(LEAST)) $(FAST) --doctest-ignore-import-errors --ignore-glob '*/compiled_*.py'

coverage: $(READY)  ## List the lines and branches that the fast tests do not reach
	@$(PYTEST) $(FAST) --cov=curvewise

style: $(READY)  ## Check style alone
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

check: style  ## Check style, types and import contracts
	@$(BIN)/mypy
	@$(BIN)/lint-imports

docs: $(SITE)  ## Build the documentation site, offline, and check its links; writes docs/_build/index.html
	@$(BIN)/python -m sphinx -W -n --keep-going -q -b html docs docs/_build
	@$(BIN)/python -m docs.building.links docs/_build

format: $(READY)  ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

wheel: $(READY)  ## Build wheel and source distribution into dist, and check them
	@rm -rf dist
	@$(BIN)/python -m build --outdir dist > /dev/null
	@$(BIN)/python -m twine check --strict dist/*

TESTS ?= tests
# What is released is what is tested: the tests are those of the source distribution, and run on the
# wheel in an environment that holds nothing else.
release-check: $(READY)  ## Check that this state can be released: metadata, build, demo and tests of the wheel
	@$(BIN)/python -m release.metadata
	@$(MAKE) --no-print-directory wheel
	@$(PYTHON) -m venv --clear $(EMPTY)
	@$(EMPTY)/$(SCRIPTS)/python -m pip install --quiet --disable-pip-version-check --no-compile dist/*.whl
	@mkdir -p $(EMPTY)/elsewhere && cd $(EMPTY)/elsewhere && ../$(SCRIPTS)/curvewise demo && ../$(SCRIPTS)/python -m curvewise --version
	@cd $(EMPTY) && $(SCRIPTS)/python -m pip install --quiet --disable-pip-version-check --no-compile \
		"curvewise[test,serve] @ file://$$(ls $$PWD/../dist/*.whl)"
	@tar -xzf dist/*.tar.gz -C $(EMPTY) --strip-components 1
	@cd $(EMPTY) && PYTHONDONTWRITEBYTECODE= $(SCRIPTS)/python -m pytest -q -n auto --dist worksteal $(FAST) $(TESTS)
	@echo "Ready to be released."

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

other-tools: $(READY)  ## Measure false alarms of common tools; writes docs/other-tools.md (five minutes)
	@$(call INSTALL,--editable '.[bench]')
	@$(BIN)/python -m benchmarks.false_alarms

house: $(RUNTIME)  ## Measure the code: lines, tokens, files, files that commands walk through
	@$(BIN)/python tools/house.py

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
	@rm -rf $(VENV) $(OLDEST) $(NEWEST) $(LEAST) $(EMPTY) dist docs/_build docs/generated .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage*
	@find src studies tests benchmarks docs fuzzing -name __pycache__ -type d -prune -exec rm -rf {} +
