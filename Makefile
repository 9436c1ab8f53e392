VENV ?= .venv
BIN = $(VENV)/bin
.DEFAULT_GOAL := help
.PHONY: help setup demo test slow check bench miniwob egress faults soak lock clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: ## virtual environment, locked dependencies, a browser
	@.ci/setup $(VENV)

demo: setup ## the main job: discover on the teller console, prove, replay for others without a model
	@$(BIN)/python -m engine.demo.journey

test: setup ## all tests of an everyday change
	@$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "not slow and not bench"

slow: setup ## whole flows on every tenant, exports in bare environments, explorations end to end
	@$(BIN)/python -m pytest -q -m "slow or bench"

check: setup ## formatting, lint, types, layers
	@$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy && $(BIN)/lint-imports

bench: setup ## measured figures, written to BENCHMARKS.md
	@$(BIN)/python -m tests.benchmarks

miniwob: setup ## the embedded planner on MiniWoB++
	@$(BIN)/python -m tests.miniwob

drift: setup ## capabilities on pages that changed: survival, safe aborts, wrong effects; resumable, written to BENCHMARKS.md
	@$(BIN)/python -m tests.drift

egress: setup ## every way out of the browser, against a hostile server
	@$(BIN)/python -m tests.egress

faults: setup ## every fault that must be survived, with a verdict each
	@$(BIN)/python -m tests.faults

soak: setup ## a thousand replays on sites that do not change, and what is kept of them
	@$(BIN)/python -m tests.soak

lock: setup ## resolve the dependencies anew
	@$(BIN)/python -m pip install --quiet uv && $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-header --extra dev pyproject.toml --output-file requirements.lock

clean: ## remove what the other targets made
	rm -rf $(VENV) .home build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
