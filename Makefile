# Everything starts here; CI runs these targets and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
UV_VERSION := 0.13.7

.DEFAULT_GOAL := help
.PHONY: help setup demo test slow quick check format docs reference pictures bench levels lock release clean

help:
	@echo "make demo    a study from design to report, on this machine"
	@echo "make test    all tests but the slow proofs"
	@echo "make slow    the slow proofs"
	@echo "make check   format, lint, types, layers, dependencies, lock"
	@echo "make format  let ruff write the format"
	@echo "make docs    the documentation as HTML in docs/_build"
	@echo "make reference  the tables of the reference pages, written again from the code"
	@echo "make pictures  the documentation's screenshots, taken again"
	@echo "make bench   the benchmarks; each writes its results beside itself"
	@echo "make levels  the tables of false positives, power and coverage, simulated again (hours)"
	@echo "make lock    solve the dependencies again (after a change in pyproject.toml)"
	@echo "make release build the wheel and the source archive, and try the wheel"

setup: $(STAMP)

# --compile-bytecode: where PYTHONDONTWRITEBYTECODE is set, every process would compile all libraries again.
$(STAMP): pyproject.toml requirements.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip install -q --python $(BIN)/python --compile-bytecode --require-hashes -r requirements.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps -e .
	@touch $@

demo: $(STAMP)
	$(BIN)/rejudge demo --force

# Bytecode is kept, whatever the environment says: the many processes that tests start would each
# compile all of rejudge again.
test slow quick: export PYTHONDONTWRITEBYTECODE =

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

slow: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

quick: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow and not browser"

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/python tools/check_tree.py

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(STAMP)
	$(BIN)/sphinx-build -q -W -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

reference: $(STAMP)
	$(BIN)/python tools/make_reference.py

pictures: $(STAMP)
	for tool in tools/take_*pictures.py; do $(BIN)/python $$tool || exit 1; done

# What docs/guide/which-test.md and the other pages say of false positives, power and coverage.
levels: $(STAMP)
	for name in coverage headline headline_choices slopes interaction guessing agreement_intervals; do \
	  $(BIN)/python benchmarks/bench_$$name.py || exit 1; done
	$(BIN)/python benchmarks/bench_labs.py --studies 2000 --processes 2
	$(BIN)/python tools/make_level_tables.py

bench: $(STAMP)
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

lock:
	test -x $(BIN)/uv || { $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install -q uv==$(UV_VERSION); }
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-annotate --group dev --no-header pyproject.toml -o requirements.lock

release: check test slow
	rm -rf dist && $(BIN)/uv build -q && $(BIN)/python tools/try_wheel.py dist

clean:
	rm -rf $(VENV) dist docs/_build rejudge-demo
