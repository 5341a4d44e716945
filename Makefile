# Everything that a contributor types. `make` alone lists it.
#
#   make demo   a real distributed training job, from one command to a registered model
#   make test   every test, on the real services
#   make check  formatting, lint, types, import contracts
#   make test-browser      the web application in a real browser
#   make test-kubernetes   the tests on a real Kubernetes cluster; the first time it is compiled for 20 minutes
#   make cluster           that cluster by hand, until Ctrl-C
#   make up     the platform on this machine, until Ctrl-C
#   make web    the web application, which the platform then serves; needs Node 20 or newer
#   make bench  the figures of docs/benchmarks.md

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:
.SUFFIXES:

# Each Ray process imports for seconds unless it finds compiled bytecode (docs/development.md, "Bytecode").
unexport PYTHONDONTWRITEBYTECODE
export UV_COMPILE_BYTECODE := 1
# The virtual environment of this folder is the only one meant here, whatever is active in the caller's shell.
unexport VIRTUAL_ENV
# Trust what this machine trusts (a company's own authority, a proxy's), where it has a store at all.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
export UV_SYSTEM_CERTS ?= true
endif
# pyright would ask the package index for a newer self on every run.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

UV := .tools/bin/uv
UV_VERSION := 0.13.9
BIN := .venv/bin
MEMBERS := platform/sdk platform/core platform/worker platform/standalone api operator
LOCKED := uv.lock pyproject.toml $(addsuffix /pyproject.toml,$(MEMBERS))
PYTEST_ARGS ?=

.PHONY: help
help:
	@sed -n 's/^#   //p' $(MAKEFILE_LIST)

.PHONY: demo
demo: .venv/.synced web-where-possible
	@exec $(BIN)/python -m mlp_standalone.demo --data .data/demo $(if $(ONCE),--once)

.PHONY: up
up: .venv/.synced web-where-possible
	@exec $(BIN)/mlp up --data .data/up

.PHONY: web
web: web/dist/index.html

.PHONY: test
test: machine .venv/.synced
	@exec $(BIN)/pytest $(PYTEST_ARGS)

.PHONY: test-browser
test-browser: machine .venv/.synced
	@.ci/machine browser
	exec $(BIN)/pytest tests/web/test_browser.py $(PYTEST_ARGS)

.PHONY: test-kubernetes
test-kubernetes: .venv/.synced
	@.ci/machine kubernetes
	.ci/machine containers
	# Before the tests, whose deadlines do not count on it.
	(cd tests/kubernetes && ../../$(BIN)/python -m cluster build)
	exec $(BIN)/pytest tests/kubernetes tests/images tests/compose $(PYTEST_ARGS)

.PHONY: cluster
cluster: .venv/.synced
	@cd tests/kubernetes && exec ../../$(BIN)/python -m cluster up $(CLUSTER_ARGS)

.PHONY: check
check: .venv/.synced
	@$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/pyright
	if command -v npm >/dev/null; then
	    $(MAKE) --no-print-directory web/node_modules/.package-lock.json
	    cd web && npm run --silent check
	else
	    echo "npm is not here, so web/ is not checked."
	fi

.PHONY: format
format: .venv/.synced
	@$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: openapi
openapi: .venv/.synced
	@exec $(BIN)/python -m mlp_api.write_openapi tests/architecture/openapi.json

.PHONY: bench
bench: .venv/.synced
	@cd tests && PYTHONPATH=kubernetes exec ../$(BIN)/python -m bench $(BENCH_ARGS)

.PHONY: clean
clean:
	@rm -rf .venv .tools .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
	echo "Kept .data: it holds the platforms of 'make demo' and 'make up'. 'mlp down --purge --data .data/...' removes one."

# --- what the above stand on -----------------------------------------------------------------------------------------

.PHONY: machine
machine:
	@.ci/machine

.venv/.synced: $(UV) $(LOCKED)
	@$(UV) sync --frozen --compile-bytecode --all-groups --all-packages
	touch $@

web/dist/index.html: web/node_modules/.package-lock.json $(shell find web -type f -not -path 'web/dist/*' -not -path 'web/node_modules/*' 2>/dev/null)
	@cd web && npm run build
	touch dist/index.html

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	@cd web && npm ci --no-audit --no-fund
	touch node_modules/.package-lock.json

# The platform is whole without its web application, so what is missing for that one stops nothing.
.PHONY: web-where-possible
web-where-possible:
	@if ! command -v npm >/dev/null; then
	    echo "npm is not here, so the web application is not built. Later: make web, with Node 20 or newer."
	elif ! $(MAKE) --no-print-directory web; then
	    echo "The web application could not be built; the platform starts without it."
	fi

# A uv that is new enough is used; else one of our own is put into .tools, out of everybody's way.
$(UV):
	@mkdir -p .tools/bin
	found=$$(uv --version 2>/dev/null | sed -n 's/^uv \([0-9]*\.[0-9]*\).*/\1/p' || true)
	if [ -n "$$found" ] && printf '0.13\n%s\n' "$$found" | sort -CV; then
	    ln -sf "$$(command -v uv)" $@
	else
	    echo "Putting uv $(UV_VERSION) into .tools"
	    .ci/machine python
	    python3 -m venv .tools/uv
	    .tools/uv/bin/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	    ln -sf ../uv/bin/uv $@
	fi
