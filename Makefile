.PHONY: setup dev app test bench lint sample

PORT ?= 8501
WORKSPACE ?= data/workspace

setup: ## what the app and the command need, in .venv
	@scripts/bootstrap run

dev: ## setup, and what the tests need
	@scripts/bootstrap dev

app: setup ## the app on http://localhost:8501
	@.venv/bin/facet app --port $(PORT) --workspace $(WORKSPACE)

test: dev ## all tests; what needs Docker, Chromium or Harbor is skipped where that is missing
	@.venv/bin/python -m pytest -n 2 --dist loadfile -q tests

lint: dev ## style, formatting, types
	@.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy

bench: dev ## speed against stock Harbor, as ratios
	@.venv/bin/python -m bench

sample: dev ## make the bundled sample workspace again
	@.venv/bin/python scripts/make_sample.py
