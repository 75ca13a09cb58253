# The usual commands; CMakeLists.txt, CMakePresets.json and tools/ hold the rest.
PREFIX ?= /usr/local
TIME ?= 60
export PREFIX DESTDIR

all:
	@tools/setup.sh build
	@cmake --preset release
	@cmake --build --preset release

demo: all
	@tools/setup.sh draw
	@tools/demo.sh

# The build and the quick tests, in two minutes.
check:
	@tools/check.sh

test:
	@tools/test.sh

test-long:
	@tools/test-long.sh

coverage:
	@tools/coverage.sh

analyse:
	@tools/setup.sh analyse
	@tools/analyse.sh

asan:
	@tools/setup.sh test
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan

bench: all
	@bench/run.sh

fuzz:
	@tools/fuzz.sh $(TIME)

format:
	@tools/format.sh

# DESTDIR, if given, is put before every path.
install: all
	cmake --install build --prefix "$$PREFIX"
	@awk '{ print ENVIRON["DESTDIR"] $$0 }' build/install_manifest.txt >build/installed

# Removes the files of the last install.
uninstall:
	tr '\n' '\0' <build/installed | xargs -0 rm -f

deb:
	@tools/deb.sh

# A wheel for pip with the library inside, in build/.
wheel: all
	@tools/wheel.sh build

clean:
	rm -rf build

.PHONY: all demo check test test-long coverage analyse asan bench fuzz format install uninstall deb wheel clean
