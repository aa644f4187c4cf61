# One command serves, one command tests; both make what they need. `make` alone lists the targets.

VENV := .venv
BIN := $(VENV)/bin
MADE := .make
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PIP := $(BIN)/python $(PIP_INSTALL)
# what is downloaded to serve, test, build or audit has a hash; then ours are installed from here, not isolated, since an
# isolated build would fetch the newest of what it needs
HASHED := --require-hashes --requirement requirements
PYRVO := pyrvo==0.4.3
JUPEDSIM := jupedsim==1.4.2
SUMO := eclipse-sumo==1.28.0 traci==1.28.0 sumolib==1.28.0
RECAST := recast-navigation@0.43.1
# npm packages of ours: each is set up from its lock file before the tests
NODE_PROJECTS := clients/typescript service/viewer
# where the benchmark looks for what npm has installed
NODE_PEERS := $(MADE)/bench-node

# compiled kernels are kept between runs, in a folder named by their sources
export ORCA_CROWD_KERNEL_CACHE ?= $(CURDIR)/$(MADE)/kernel-cache

# so many processes share the tests, file by file: two, since many of them start several processes themselves
WORKERS ?= 2

# passed through: make serve ARGS="--port 8080", make test TESTS="tests/orca_core -x",
# make bench BENCH=kernel ARGS="--agents 1000"
ARGS ?=
TESTS ?=
BENCH ?= kernel scale engine stream durability behaviour
# the interpreter to build with; left empty, the first fit one on the path
PYTHON ?=

# compiles before the first test, so that no test waits for it
define COMPILE
from orca_core import warmup
warmup.compile_all(lambda done, total, name: print(f"{done} of {total} {name:40}", end="\r\n"[done == total], flush=True))
endef
export COMPILE

.DEFAULT_GOAL := help
.PHONY: help serve test bench soak chaos viewer generate wheels sbom audit image lock hashes clean

help:  ## list the targets
	@echo 'Targets of orca-crowd:'
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

serve: $(MADE)/serve  ## set up and serve on http://127.0.0.1:8000 (ARGS="--port 8080" passes options on)
	@exec $(BIN)/orca-crowd serve $(ARGS)

test: $(MADE)/test  ## set up and run every check and test (TESTS="tests/orca_core -x" chooses, WORKERS=4 takes as many processes)
	@failed=; \
	phase() { title=$$1; shift; printf '\n== %s\n' "$$title"; "$$@" || failed="$$failed [$$title]"; }; \
	outcome() { wait $$1; code=$$?; cat $$2; return $$code; }; \
	$(BIN)/mypy > $(MADE)/types.txt 2>&1 & types=$$!; \
	phase 'lint (ruff)' $(BIN)/ruff check; \
	phase 'kernels (compiled once, then kept)' $(BIN)/python -c "$$COMPILE"; \
	phase 'types (mypy)' outcome $$types $(MADE)/types.txt; \
	phase 'tests (pytest)' $(BIN)/python -m tests.support.family \
	    $(BIN)/python -m pytest --numprocesses $(WORKERS) --durations 25 --durations-min 5 $(TESTS); \
	if [ -n "$$failed" ]; then printf '\nfailed:%s\n' "$$failed"; exit 1; fi; \
	printf '\nall phases passed\n'

soak: $(MADE)/test  ## the long and heavy inputs that `make test` leaves out
	@$(BIN)/python -m tests.support.family $(BIN)/python -m pytest -m soak --timeout 7200 $(TESTS)

chaos: $(MADE)/test  ## ten minutes in which servers and workers are killed and disks fill up (ARGS="--seconds 60" is shorter, "--cluster" kills processes, nodes and front ends of a cluster)
	@$(BIN)/python -m tests.support.family $(BIN)/python -m tests.chaos $(ARGS)

bench: $(MADE)/bench  ## measure kernels and wire beside libraries of others, large worlds, the engine (BENCH=kernel chooses)
	@for part in $(BENCH); do \
	    printf '\n== %s\n' "$$part"; $(BIN)/orca-crowd bench "$$part" $(ARGS) || exit 1; \
	done

viewer: $(MADE)/node  ## build the page, which the server has as built files
	@npm run --silent --prefix service/viewer build

generate: $(MADE)/test  ## write anew what is made from the server's models: exchanges and types of the clients
	@$(BIN)/python -m tests.support.exchanges --write
	@npm run --silent --prefix clients/typescript types

wheels: $(MADE)/serve  ## build the wheels of both distributions into dist/, the same bytes from the same sources
	@$(BIN)/python tools/build_wheels.py

sbom: $(MADE)/serve  ## write what a server is made of to dist/sbom.cdx.json (CycloneDX)
	@rm -rf $(MADE)/sbom && mkdir -p dist
	@$(BIN)/python -m venv $(MADE)/sbom/tools && $(BIN)/python -m venv --without-pip $(MADE)/sbom/server
	@$(MADE)/sbom/tools/bin/python $(PIP_INSTALL) $(HASHED)/image.txt
	@$(MADE)/sbom/tools/bin/python tools/build_wheels.py --only orca-crowd --into $(MADE)/sbom
	@pip="$(MADE)/sbom/tools/bin/python -m pip --python $(MADE)/sbom/server/bin/python install --quiet --disable-pip-version-check"; \
	$$pip $(HASHED)/serve.txt && $$pip --no-deps --no-index $(MADE)/sbom/orca_crowd-*.whl
	@$(MADE)/sbom/tools/bin/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml \
	    --output-file dist/sbom.cdx.json $(MADE)/sbom/server/bin/python
	@rm -rf $(MADE)/sbom && echo 'orca-crowd: dist/sbom.cdx.json is written'

audit: $(VENV)/pyvenv.cfg  ## ask the OSV database for known faults of what a server needs; wants the network
	@rm -rf $(MADE)/audit && $(BIN)/python -m venv $(MADE)/audit
	@$(MADE)/audit/bin/python $(PIP_INSTALL) $(HASHED)/audit.txt
	@if $(MADE)/audit/bin/pip-audit --vulnerability-service osv --disable-pip --require-hashes \
	    --requirement requirements/serve.txt --progress-spinner off --output $(MADE)/audit/report \
	    2> $(MADE)/audit/errors; \
	then echo 'orca-crowd: the database knows of nothing against the versions of requirements/serve.txt'; \
	elif [ -s $(MADE)/audit/report ]; then cat $(MADE)/audit/report; exit 1; \
	else tail -1 $(MADE)/audit/errors >&2; \
	    echo 'orca-crowd: NOTHING WAS AUDITED, for the database could not be asked; run make audit where it can' >&2; \
	    exit 1; fi

image: $(MADE)/test  ## build the image from a base made by debootstrap and try it without an engine (Debian, root)
	@$(BIN)/python -m pytest -m container --capture=no --no-header --quiet $(or $(TESTS),tests/container)

lock:  ## resolve every dependency anew: constraints.txt, and the hashes of requirements/
	@python=$$($(find_python)) && rm -rf $(MADE)/lock && $$python -m venv $(MADE)/lock
	@$(MADE)/lock/bin/python -m pip install --quiet --disable-pip-version-check --upgrade uv
	@$(MADE)/lock/bin/uv pip install --quiet --python $(MADE)/lock --editable '.[dev,bench]' --editable clients/python \
	    --group image --group audit --group lock
	@{ sed -n '/^#/p' constraints.txt; \
	   $(MADE)/lock/bin/uv pip freeze --python $(MADE)/lock --exclude-editable | grep -v '^pip=='; } > $(MADE)/constraints.txt
	@mv $(MADE)/constraints.txt constraints.txt
	@$(MAKE) --no-print-directory hashes
	@echo 'constraints.txt is new; run make test on every supported Python'

hashes:  ## write the hashes of the versions in constraints.txt to requirements/, after a version was changed by hand
	@python=$$($(find_python)) && rm -rf $(MADE)/lock && $$python -m venv $(MADE)/lock
	@$(MADE)/lock/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	@lock() { file=requirements/$$1.txt; shift; { \
	    echo '# Written by make hashes, read by pip with --require-hashes: versions as in constraints.txt.'; \
	    $(MADE)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	        --constraint constraints.txt "$$@"; } > $(MADE)/hashed.txt && mv $(MADE)/hashed.txt $$file || exit 1; }; \
	lock build --group build && lock image --group image && lock audit --group audit && \
	lock serve pyproject.toml && lock ray --extra ray --extra s3 pyproject.toml && lock test --extra dev pyproject.toml clients/python/pyproject.toml && rm -rf $(MADE)/lock

clean:  ## remove the environment, the kernel cache and everything built
	rm -rf $(VENV) $(MADE) build dist *.egg-info clients/python/*.egg-info clients/python/build \
	    $(NODE_PROJECTS:=/node_modules) $(NODE_PROJECTS:=/dist) .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# the first interpreter that is new enough for us, old enough for the compiler, and able to make an environment
define find_python
found=; for candidate in $(or $(PYTHON),python3.13 python3.12 python3.11 python3.14 python3 python); do \
    if $$candidate -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1; \
    then found=$$candidate; break; fi; \
done; \
if [ -z "$$found" ]; then \
    echo 'orca-crowd needs Python 3.11 to 3.14 with venv and pip, and found none in:' \
        '$(or $(PYTHON),python3.13 python3.12 python3.11 python3.14 python3 python).' >&2; \
    echo 'Debian and Ubuntu: apt-get install python3 python3-venv. macOS: brew install python@3.13.' \
        'Elsewhere: https://www.python.org/downloads/. Or name one: make serve PYTHON=/path/to/python3.' >&2; \
    exit 1; \
fi; \
echo "$$found"
endef

# the environment; its own file carries the time, since bin/python is a link to something old
$(VENV)/pyvenv.cfg:
	@python=$$($(find_python)) && echo "orca-crowd: making the environment in $(VENV) with $$python" && \
	    $$python -m venv --clear $(VENV)
	@touch $@

# stamps: nothing is installed twice unless what it depends on has changed
$(MADE)/serve: $(VENV)/pyvenv.cfg pyproject.toml constraints.txt requirements/build.txt requirements/serve.txt
	@echo 'orca-crowd: installing what serving needs, at the versions of constraints.txt'
	@mkdir -p $(MADE)
	@$(PIP) $(HASHED)/build.txt
	@$(PIP) $(HASHED)/serve.txt
	@$(PIP) --no-build-isolation --editable .
	@# sources are turned into bytecode now, so that the first start is as quick as any other
	@$(BIN)/python -m compileall -q orca_core service/orca_crowd
	@touch $@

$(MADE)/test: $(MADE)/serve requirements/test.txt clients/python/pyproject.toml $(MADE)/node
	@echo 'orca-crowd: installing what the tests need'
	@# kernels are compiled meanwhile, on another core; whoever wants them next waits for the lock of their cache
	@$(BIN)/python -m orca_core.warmup > /dev/null 2>&1 < /dev/null &
	@$(PIP) $(HASHED)/test.txt
	@$(PIP) --no-build-isolation --editable clients/python
	@# where they cannot be had the tests of the addon and of the page say so, and the others run
	@$(BIN)/python -m tests.support.find_godot || true
	@$(BIN)/python -m tests.support.browser || true
	@touch $@

# hashes of the lock files say what is installed, and no package's script runs
$(MADE)/node: $(NODE_PROJECTS:=/package-lock.json)
	@command -v npm >/dev/null && node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' || { \
	    echo 'orca-crowd: the TypeScript client and the page need Node 20 or newer, with npm; make serve does not.' \
	        'Debian and Ubuntu: apt-get install nodejs npm. Elsewhere: https://nodejs.org/.' >&2; exit 1; }
	@echo 'orca-crowd: installing what the tests in JavaScript need, at the versions of package-lock.json'
	@mkdir -p $(MADE)
	@for project in $(NODE_PROJECTS); do \
	    npm ci --silent --ignore-scripts --no-audit --no-fund --prefix $$project || exit 1; \
	done
	@touch $@

$(MADE)/bench: $(MADE)/serve
	@echo 'orca-crowd: installing what the benchmark needs; peers without their dependencies, two gigabytes of graphics'
	@$(PIP) --no-build-isolation --editable '.[bench]'
	@# a peer that is not to be had here is left out of the measurement, which says so
	@$(PIP) --no-deps '$(PYRVO)' || echo 'orca-crowd: pyrvo is not to be had and is left out'
	@$(PIP) --no-deps '$(JUPEDSIM)' || echo 'orca-crowd: jupedsim is not to be had and is left out'
	@$(PIP) --no-deps $(SUMO) || echo 'orca-crowd: SUMO is not to be had and is left out'
	@if command -v npm >/dev/null; then \
	    npm install --silent --no-audit --no-fund --no-save --prefix $(NODE_PEERS) '$(RECAST)' \
	        || echo 'orca-crowd: recast-navigation is not to be had and is left out'; \
	else echo 'orca-crowd: there is no npm, so recast-navigation is left out'; fi
	@touch $@
