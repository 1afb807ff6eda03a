# Everything starts here; CI runs these targets and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
UV_VERSION := 0.13.7
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup demo test slow quick fuzz check format docs reference pictures bench levels lock release clean

help:
	@echo "make demo    run an example study from design to report"
	@echo "make test    run all tests except the slow ones"
	@echo "make slow    run the slow tests"
	@echo "make fuzz    run the property tests with random examples for ten minutes (EXAMPLES=thorough: more of them)"
	@echo "make check   check format, lint, types, layers, dependencies, lock, phrases and sizes"
	@echo "make format  format the code with ruff"
	@echo "make docs    build the documentation as HTML in docs/_build"
	@echo "make reference  regenerate the tables of the reference pages from the code"
	@echo "make pictures  retake the screenshots of the documentation"
	@echo "make bench   run the benchmarks; results go to benchmarks/results"
	@echo "make levels  simulate the tables of false positives, power and coverage again (hours)"
	@echo "make lock    resolve the dependencies again (after a change in pyproject.toml)"
	@echo "make release build the wheel and the source archive, and test the wheel"

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

# Keep bytecode whatever the environment says: otherwise each of the many processes that the tests
# start would compile all of rejudge again. Files run in the order of their names: the browser's come
# before the many small ones of the site, so that no core is left with a long file at the end.
test slow quick fuzz: export PYTHONDONTWRITEBYTECODE =

test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not slow"

slow: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m slow

quick: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not slow and not browser"

fuzz: $(STAMP)
	$(BIN)/python tools/fuzz.py --examples $(or $(EXAMPLES),random)

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/python tools/check_tree.py
	$(BIN)/python tools/measure_tree.py --check

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

# The false-positive rates, power and coverage in docs/methods.md.
levels: $(STAMP)
	for name in coverage headline headline_choices slopes interaction agreement_intervals item_samples looks; do \
	  $(BIN)/python benchmarks/bench_$$name.py || exit 1; done
	$(BIN)/python benchmarks/bench_labs.py --studies 2000 --processes 2
	$(BIN)/python benchmarks/bench_power_levels.py
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
