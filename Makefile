# The front door. CMake builds, tools/ checks; this names what one can ask for.

BUILD  = build
PREFIX = /usr/local
JOBS   = $(shell nproc 2>/dev/null || echo 2)

MAKEFLAGS += --no-print-directory

.PHONY: build run page check test slow campaign bench install wheel deb docs format coverage tidy clean help

build: ## build the libraries and the command into build/ (what plain `make` does)
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

run: ## install what is missing, build, and show what Sonde does
	@tools/packages.sh run
	@$(MAKE) build
	@tools/demo.sh

page: ## the page with the library inside it, which sonde view opens; installs emscripten (805 MB)
	@tools/packages.sh page
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DSONDE_ENGINE=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	@ls -l $(BUILD)/page.html

check: ## the quick check after a change: build with gcc, the tests that take no time
	@tools/packages.sh test
	@tools/test.sh check

test: ## install what is missing and run every check
	@tools/packages.sh test
	@tools/test.sh

slow: ## the tests that take long
	@tools/packages.sh test
	@tools/test.sh slow

campaign: ## try to break it for hours: all rows, or ROW=a,b and SECONDS=600; adds up in docs/reliability.md
	@tools/packages.sh campaign
	@/usr/bin/python3 campaign/campaign.py $(if $(ROW),--row $(ROW)) $(if $(SECONDS),--seconds $(SECONDS))

bench: ## build and run everything that measures time
	@cmake -S . -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target bench
	@set -e; for source in $(sort $(wildcard bench/bench_*.c)); do \
	    name=$$(basename $$source .c); echo "== $$name"; $(BUILD)/bench/$$name; done

install: build ## install under PREFIX (/usr/local), below DESTDIR if that is set
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD)

wheel: ## the Python package as a self-contained wheel and a source distribution in build/wheel/
	@tools/packages.sh wheel
	@tools/wheel.sh $(BUILD)/wheel

deb: ## Debian packages libsonde, libsonde-dev, sonde and python3-sonde in build/deb/
	@tools/packages.sh deb
	@tools/deb.sh $(BUILD)/deb

docs: ## the pages, the reference of C and Python and the notebooks as a site in build/docs/site/
	@tools/packages.sh docs
	@tools/docs.sh $(BUILD)/docs

format: ## lay out all C files
	@find . \( -name build -o -name .git \) -prune -o -name '*.[ch]' -print0 | \
	    xargs -0 -r clang-format -i

coverage: ## which lines of src/ and lab/ the tests run
	@tools/packages.sh test
	@tools/test.sh coverage

tidy: ## clang-tidy over src/, lab/ and cli/
	@tools/packages.sh test
	@tools/test.sh tidy

clean: ## remove build/
	@rm -rf $(BUILD)

help: ## this list
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/make \1\t\2/p' Makefile | expand -t 16
