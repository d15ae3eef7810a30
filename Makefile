# Everything here sets up what it needs first; no other command comes before.
# ARGS is handed on: make test ARGS="tests/rules -k ashift", make run ARGS="recommend --example thesis --goal safety".

.DEFAULT_GOAL := help
.PHONY: help setup run test test-slow test-display test-zfs test-zfs-core fuzz soak mutants bench package check texts guide measure screenshots clean

BIN := .venv/bin
ARGS ?=

# Tests run without a screen; the quick ones three at a time: on two cores the third works while another waits for fio,
# for a disk or for an event. What Python compiles is kept, also where it is told to keep nothing: to compile all tests
# with their assertions takes each worker 8 s. A file is one worker's: what its tests share is made once. A test that
# goes round for ever ends the run after ten minutes, and tells where it was.
PYTEST := env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(CURDIR)/.cache/pycache QT_QPA_PLATFORM=offscreen $(BIN)/pytest

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 24

setup: ## system packages, .venv and what uv.lock names (PYTHON=... chooses the Python)
	@packaging/setup.sh

run: setup ## open the window
	@$(BIN)/poolwright $(ARGS)

test: setup ## the quick tests
	@packaging/setup.sh packages measure || echo 'fio cannot be installed: nothing is measured (see above)'
	@packaging/setup.sh packages exports || echo 'nix or poppler cannot be installed: disko is not evaluated, no PDF read back (see above)'
	$(PYTEST) -n 3 --dist loadfile --max-worker-restart=0 --timeout 600 --durations 8 --durations-min 2 \
	  -m "not bench and not display and not zfs and not slow" $(ARGS)

test-slow: setup ## the tests that take their time
	@packaging/setup.sh packages measure || echo 'fio cannot be installed: nothing is measured (see above)'
	@packaging/setup.sh packages exports || echo 'nix or poppler cannot be installed: disko is not evaluated, no PDF read back (see above)'
	$(PYTEST) -n 2 --dist loadfile --max-worker-restart=0 --timeout 600 --durations 8 -m slow $(ARGS)

test-display: setup ## a real window, with pointer and keyboard, on a screen in memory
	@packaging/setup.sh packages display
	QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1920x1080x24" $(BIN)/pytest --timeout 600 -m display $(ARGS)

test-zfs: setup ## the tests on real OpenZFS 2.3 and 2.1, in a virtual machine that is built first (SERIES=2.3 for one)
	@packaging/setup.sh packages zfs || echo 'the virtual machine cannot be had: packages are missing (see above)'
	@$(BIN)/uv sync --frozen --quiet --group playbook || echo 'Ansible cannot be installed: no playbook is played (see above)'
	for series in $(or $(SERIES),2.3 2.1); do POOLWRIGHT_VM=$$series $(PYTEST) -p no:randomly -rs -m zfs tests/zfs_vm $(ARGS) || exit; done

test-zfs-core: setup ## the strongest of them, on OpenZFS 2.3
	@packaging/setup.sh packages zfs || echo 'the virtual machine cannot be had: packages are missing (see above)'
	$(PYTEST) -p no:randomly -rs -m core --maxfail 3 --durations 8 tests/zfs_vm $(ARGS)

fuzz: setup ## coverage-guided fuzzing of everything that reads text, 20 s a reader (ARGS="--seconds 600 lsblk")
	$(BIN)/uv sync --frozen --quiet --group fuzz
	$(BIN)/python -m tests.fuzz.run $(ARGS)

soak: setup ## a day and an hour: use without growth, 2,000 damages of the library, every size, fuzzing (SOAK=600 FUZZ=2 for less, in s)
	POOLWRIGHT_SOAK_SECONDS=$(or $(SOAK),86400) $(PYTEST) -p no:randomly --timeout 0 -m slow tests/ui/test_soak.py
	POOLWRIGHT_DAMAGES=2000 $(PYTEST) -n 2 --timeout 0 -m "slow or not slow" tests/store/test_damage.py
	$(PYTEST) -p no:randomly --timeout 0 -m "not display" tests/ui/test_resizing.py tests/ui/test_small_windows.py
	$(MAKE) fuzz ARGS="--seconds $(or $(FUZZ),42)"

mutants: setup ## small changes of the core, sampled, that a test should notice (ARGS="--room emit --samples 60 --seed 2")
	$(BIN)/python -m tests.mutation.run $(ARGS)

bench: setup ## the speed benchmarks, the start beside that of other programs (which are installed)
	@packaging/setup.sh packages display && packaging/setup.sh packages bench || \
	  echo 'bench: the first paint is not compared: Xvfb, vorta or picard cannot be installed (see above)'
	$(PYTEST) -m bench -p no:randomly --benchmark-only --benchmark-disable-gc $(ARGS)

screenshots: setup ## a picture of every page and tab, light and dark, at 100, 150 and 200 %, in build/screenshots
	for scale in 1 1.5 2; do QT_SCALE_FACTOR=$$scale POOLWRIGHT_SCREENSHOTS=build/screenshots \
	  $(PYTEST) -p no:randomly tests/ui/test_screenshots.py $(ARGS) || exit; done

package: setup ## dist/: a folder that needs no Python, the .deb made of it, a wheel; each is tried, the .deb in a clean Debian 12
	@packaging/setup.sh packages package
	packaging/package.sh

texts: setup ## every text for translators, in build/texts/poolwright.pot
	$(BIN)/python -m tests.texts.extract

guide: setup ## the guide as HTML with pictures of the program, in build/guide
	$(BIN)/python packaging/guide.py build/guide --pictures

measure: setup ## how large the program is, how deep a question goes in it, and how long answers take
	$(BIN)/python -m tests.measure

check: setup ## ruff, mypy --strict, import-linter, texts that no translator would find, shellcheck
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.texts.check
	$(BIN)/shellcheck packaging/*.sh .ci/run tests/zfs_vm/image.sh tests/emit/stand_in*.sh \
		app/poolwright/bench/running/shell/*.sh packaging/polkit/poolwright-read-disks app/poolwright/machine/collector.sh

clean: ## remove all that make has made here
	rm -rf .venv .cache .benchmarks .hypothesis .pytest_cache .ruff_cache .mypy_cache .import_linter_cache build dist resources/languages/*.mo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
