# What people and pipelines run. Needs Node >= 20.19 and make, nothing else.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
.PHONY: acceptance acceptance-clean demo test soak mutants check bench bench-smoke docs build install clean pulumi-engine gitea minio

folders := client resources observation manifest reconciler provider cli service test tools bench examples
# Folders too, as `folder/.` so that none is taken for the target of that name: a deleted file changes its folder.
sources := $(wildcard index.ts) $(shell find $(folders) -name '*.ts' 2>/dev/null) \
           $(shell find $(folders) -type d -exec printf '%s/. ' {} + 2>/dev/null)
# One process more than processors: those with an engine or with a paced client mostly wait.
mocha := node node_modules/mocha/bin/mocha.js --reporter dist/test/support/summary-reporter.js --parallel --jobs 3

# What this machine lacks, once, before the tests that need it are skipped.
say_skipped := [[ -x "$$(tools/pulumi/build --where)/pulumi" ]] || \
  echo 'skipped: the tests on the Pulumi engine, which is not on this machine (make pulumi-engine builds it)'; \
  command -v jq >/dev/null || echo 'skipped: the tests of the example pipelines, which need jq'; \
  for server in gitea minio; do [[ -x "$$(tools/servers/build $$server --where)/$$server" ]] || \
  echo "skipped: the tests of the ledger on $$server, which is not on this machine (make $$server builds it)"; done

install:
	@tools/install

# One compile for everything; what was compiled from a source that is gone goes too.
dist/.built: package-lock.json tsconfig.json $(sources)
	@$(MAKE) --no-print-directory install
	@node tools/prune-dist.mjs
	@node node_modules/typescript/bin/tsc -p tsconfig.json
	@node dist/tools/compile-schemas.js
	@touch $@

build: install dist/.built

demo: build
	@node dist/tools/demo.js

test: build
	@$(say_skipped)
	@$(mocha) $$(tools/test-files)

# The suite against the service of TETHER_ADDRESS. docs/hcp-terraform.md says what it needs and makes.
acceptance: build
	@node dist/test/acceptance/main.js

# Deletes what a killed run left, after a question.
acceptance-clean: build
	@node dist/test/acceptance/main.js clean

# Runs the independent model (test/model) until stopped: SEED=, COURSES= and STEPS= say from where, how many and how long.
soak: build
	@node dist/test/model/soak.js

# Takes rules out of a copy of the product, one at a time: the model must find each within 300 courses.
mutants: build
	@node dist/test/model/mutants.js

# Format, lint and promise rules; who imports whom; generated files are current. Runs all, then fails if any did.
check: build
	@failed=0; \
	node_modules/.bin/biome check --error-on-warnings . || failed=1; \
	node_modules/.bin/depcruise --config tools/import-rules.cjs --output-type err-long index.ts $(folders) || failed=1; \
	node dist/tools/generate.js --check || failed=1; \
	exit $$failed

# Figures worth quoting beside their goals, in some minutes; with ONLY=NAME those of one question.
bench: build
	@node dist/bench/run.js full $(ONLY)

# The same with little to do: fails on a wrong number of calls, never on a time.
bench-smoke: build
	@node dist/bench/run.js small $(ONLY)

# Compiles the generator alone: it must run where the rest does not compile for want of what it writes.
docs: install
	@node tools/prune-dist.mjs
	@node node_modules/typescript/bin/tsc -p tools/generate.tsconfig.json
	@node dist/tools/generate.js

# The Pulumi command line for the tests of provider/: built once from its Go module, cached outside the tree.
pulumi-engine: install
	@tools/pulumi/build

# Servers for the tests of the ledger's homes: built once from their Go modules, cached outside the tree.
gitea minio: install
	@tools/servers/build $@

clean:
	rm -rf dist
