# The front door; CMakeLists.txt, CMakePresets.json and tools/ know the rest.
PREFIX ?= /usr/local
TIME ?= 60

all:
	@tools/setup.sh build
	@cmake --preset release
	@cmake --build --preset release

demo: all
	@tools/demo.sh

test:
	@tools/test.sh

asan:
	@tools/setup.sh test
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan

bench: all
	@bench/run.sh

fuzz:
	@tools/fuzz.sh $(TIME)

format:
	@tools/format.sh

install: all
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build

.PHONY: all demo test asan bench fuzz format install clean
