# make demo    serve the sample database on http://127.0.0.1:8000/graphql (PORT=8123 moves it)
# make test    style, types, layers, then the tests
# make bench   this server beside others, on this machine
#
# All need Python 3.11 or newer and nothing else; PYTHON=python3.12 chooses the interpreter when .venv is made.
# Where Node.js is, the first two also build the explorer, which is the page that the server shows to a browser.

PORT ?= 8000
PYTHON ?=

venv := .venv
bench := bench/.venv
conformance := tests/conformance/node_modules
bin := $(venv)/bin
# A process for each core, each with its own database; one that has nothing left takes tests from another.
pytest := pytest --numprocesses auto --dist worksteal
install := $(bin)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test coverage check check-style check-types check-layers check-schema bench bench-parts explorer picture schema settings format lock clean

help:
	@echo 'make demo          serve the sample database on http://127.0.0.1:$(PORT)/graphql (PORT=8123 moves it)'
	@echo 'make test          check, then run the tests'
	@echo 'make coverage      run the tests, and list the branches of graph/ that none takes'
	@echo 'make check         style, types and layers'
	@echo 'make check-schema  whether schema.graphql breaks what was released (needs Node.js)'
	@echo 'make bench         compare with other servers, into bench/RESULTS.md (see docs/performance.md)'
	@echo 'make bench-parts   measure what parts cost'
	@echo 'make format        rewrite the code in the one style'
	@echo 'make explorer      build the page that a browser sees (needs Node.js)'
	@echo 'make picture       show that page in docs/images/explorer.png (needs Chromium)'
	@echo 'make schema        export schema.graphql from the code'
	@echo 'make settings      write the tables of settings in docs/operations.md from the code'
	@echo 'make lock          pin the dependencies anew (needs uv)'
	@echo 'make clean         remove .venv and every cache'

demo: $(venv)/demo.stamp
	@$(bin)/python explorer/build.py || true
	@$(bin)/vams-graph demo --port $(PORT)

# The line that pytest ends with says how long the tests took, the line of the checks how long those did.
test: check $(conformance)/stamp
	@$(bin)/python explorer/build.py || true
	@$(bin)/python -m $(pytest)

# Branches of graph/ that no test takes, in every process that the tests start.
coverage: $(venv)/dev.stamp $(conformance)/stamp
	@$(bin)/python explorer/build.py || true
	@rm -rf build/coverage
	@$(bin)/python -m coverage run -m $(pytest)
	@$(bin)/python -m coverage combine --quiet
	@$(bin)/python -m coverage report

check: $(venv)/dev.stamp
	@begun=$$(date +%s) && $(MAKE) --no-print-directory --jobs 3 check-style check-types check-layers && \
		echo "Checked in $$(($$(date +%s) - begun)) s"

check-style check-types check-layers: $(venv)/dev.stamp

check-style:
	@$(bin)/ruff check
	@$(bin)/ruff format --check

check-types:
	@$(bin)/mypy

check-layers:
	@$(bin)/lint-imports --no-logo

check-schema: $(conformance)/stamp
	@node tests/conformance/check-schema.mjs

# Whatever is missing of it is named before anything is measured.
bench: bench/build/stub bench/build/load $(bench)/stamp bench/peers/node_modules/stamp
	@$(bench)/bin/python -m bench

bench-parts: $(venv)/dev.stamp
	@for module in policy gate reader execution redaction history documents hostile calls; do \
		echo "== $$module"; \
		$(bin)/python -m bench.$$module || exit 1; \
	done

explorer: $(venv)/demo.stamp
	@$(bin)/python explorer/build.py

picture: $(venv)/dev.stamp explorer
	@PICTURE=docs/images/explorer.png $(bin)/python -m pytest tests/explorer/test_browser.py

format: $(venv)/dev.stamp
	@$(bin)/ruff check --fix
	@$(bin)/ruff format

schema: $(venv)/dev.stamp
	@schema=$$($(bin)/vams-graph export-schema) && printf '%s\n' "$$schema" > schema.graphql

settings: $(venv)/dev.stamp
	@$(bin)/python -m tests.settings

# Clients, gateways, compositions and linters are packages of npm. Without Node 20 the tests say that they did not run.
$(conformance)/stamp: tests/conformance/package-lock.json
	@if node -e 'process.exit(+(parseInt(process.versions.node) < 20))' 2>/dev/null; then \
		echo 'Installing clients, gateways and compositions into $(conformance) ...'; \
		npm --prefix tests/conformance ci --silent && touch $@; \
	else \
		echo 'Node.js 20 or newer is missing: CONFORMANCE WILL NOT BE TESTED' >&2; \
	fi

# What is measured runs as in production: its dependencies alone, on the fastest Python there is; BENCH_PYTHON chooses another.
$(bench)/stamp: requirements/server.txt
	@python=$$(python3 bench/fastest.py $(BENCH_PYTHON)) && echo "Making $(bench) with $$python ..." && $$python -m venv --clear $(bench)
	@$(bench)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# Without npm, that of requirements/node.txt does; the peers themselves run on the Node.js that they are installed with.
bench/peers/node_modules/stamp: bench/peers/package-lock.json $(bench)/stamp
	@command -v npm >/dev/null || $(bench)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/node.txt
	@echo 'Installing the peers into bench/peers/node_modules ...'
	@PATH="$$PATH:$(CURDIR)/$(bench)/bin" npm --prefix bench/peers ci --ignore-scripts --silent
	@touch $@

bench/build/%: bench/native/%.cpp $(wildcard bench/native/*.hpp)
	@command -v $(CXX) >/dev/null || { echo 'A C++ compiler is needed, such as g++; CXX=... names another.' >&2; exit 1; }
	@mkdir -p $(@D)
	@$(CXX) -std=c++20 -O2 -Wall -Wextra -o $@ $<

# Both files pin the same versions, so the development set serves the demonstration too.
$(venv)/dev.stamp: $(venv)/pyvenv.cfg pyproject.toml requirements/dev.txt
	@echo 'Installing the development dependencies into $(venv) ...'
	@$(install) --require-hashes -r requirements/dev.txt
	@$(install) --no-deps --no-build-isolation --editable .
	@touch $(venv)/demo.stamp $@

$(venv)/demo.stamp: $(venv)/pyvenv.cfg pyproject.toml requirements/demo.txt
	@echo 'Installing the dependencies into $(venv) ...'
	@$(install) --require-hashes -r requirements/demo.txt
	@$(install) --no-deps --no-build-isolation --editable .
	@touch $@

# A half-made environment is removed, so that the next run starts over.
$(venv)/pyvenv.cfg:
	@for python in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11); do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		echo "Making $(venv) with $$($$python --version) ..."; \
		$$python -m venv $(venv) && exit 0; \
		rm -rf $(venv); \
		echo 'No environment could be made; on Debian and Ubuntu: apt-get install python3-venv' >&2; \
		exit 1; \
	done; \
	echo 'Python 3.11 or newer is needed: $(or $(PYTHON),python3) is missing or older. PYTHON=/path/to/python chooses one.' >&2; \
	exit 1

# Hashes for every platform, and no word of the registry they came from. One resolution, so that versions agree.
compile = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate --no-emit-index-url --no-emit-find-links --no-emit-package vams-graph

lock:
	@echo '--editable .[demo]' | $(compile) - --group build --group dev --upgrade --output-file requirements/dev.txt
	@$(compile) pyproject.toml --constraint requirements/dev.txt --output-file requirements/server.txt
	@$(compile) pyproject.toml --extra demo --group build --constraint requirements/dev.txt --output-file requirements/demo.txt
	@$(compile) --group build --constraint requirements/dev.txt --output-file requirements/build.txt
	@$(compile) --group node --upgrade --output-file requirements/node.txt

clean:
	rm -rf $(venv) $(conformance) tests/conformance/build $(bench) bench/build bench/peers/node_modules dist build explorer/node_modules graph/explorer/static *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
