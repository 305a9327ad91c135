PYTHON ?= python3
BIN = .venv/bin

.PHONY: help run test browser check locale bench eval
.DEFAULT_GOAL := help

help: ## show these targets
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):.*## /\1\t/'

run: .venv/ready ## install what is missing and start the app on http://127.0.0.1:8501
	$(BIN)/tessera app --no-browser

# Tests start hundreds of processes, each of which would compile the program anew.
test browser: export PYTHONDONTWRITEBYTECODE =

test: .venv/ready ## run the tests, those of a real browser left out
	$(BIN)/pytest -m "not browser" -n 3 --dist worksteal

# A failed test is run again, alone: on a busy machine, Streamlit can lose a click while it draws a page again.
browser: .venv/ready ## run the tests that drive the app in Chromium as a person does
	$(BIN)/pytest -m browser -n 2 --dist worksteal || $(BIN)/pytest -m browser --last-failed --last-failed-no-failures none

check: .venv/ready ## lint, format, types, layers, names, size, and the store where Python leaves out asserts
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/oxlint --deny-warnings && $(BIN)/mypy && $(BIN)/lint-imports && \
	$(BIN)/python -m tests.naming && $(BIN)/python -m tests.size && \
	$(BIN)/python -O -m pytest -p no:cacheprovider -W "ignore:assertions not in test modules" tests/store/test_store.py

locale: .venv/ready ## bring the catalogues in step with the texts, list what lacks a translation
	$(BIN)/python -m tests.catalogues

bench: .venv/ready ## measure speed on two vaults (VAULTS=folder)
	$(BIN)/python -u -m benchmarks.speed $(VAULTS)

eval: .venv/ready ## measure quality on two vaults and their questions (DATA=folder)
	$(BIN)/python -u -m benchmarks.quality $(DATA) && $(BIN)/python -u -m benchmarks.strategies $(DATA) && \
	$(BIN)/python -u -m benchmarks.retrieval $(DATA) && $(BIN)/python -u -m benchmarks.guide

.venv/ready: pyproject.toml .ci/constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint .ci/constraints.txt --editable '.[dev]'
	touch .venv/ready
