#!/usr/bin/env bash
# app/run, in a copy with stand-ins for the package manager, cmake and ninja: a first start says how long compiling
# takes before it compiles; a later start says nothing. What a start has no use for is not compiled yet.
set -euo pipefail
cd "$RIDGE_SOURCE"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/tools" "$copy/app/cli" "$copy/build/bin"
cp -r cmake "$copy/cmake"
cp app/run "$copy/app/run"
cp app/cli/cmd_*.cpp "$copy/app/cli"
tool() { printf '#!/bin/sh\n%s\n' "$2" >"$copy/$1" && chmod +x "$copy/$1"; }
tool build/bin/ridgepoint 'echo started'
tool tools/dpkg-query 'echo ok installed'
tool tools/apt-get 'exit 1'
tool tools/cmake 'echo "$@" >>configured; touch build/build.ninja; echo "-- ridgepoint: CUDA ON (found), window OFF"'
tool tools/nproc 'cat cores'
tool tools/ninja 'case " $* " in *" -t commands "*) cat commands ;; *) echo compiled ;; esac'

# compile COUNT FOLDER EXTENSION: what ninja -t commands prints for so many files. CMake's commands for nvcc end with the
# object, those for GCC go on.
compile() { for ((i = 1; i <= $1; i++)); do echo "c++ -o $2/$i.$3.o${4:- -c /x/$i.$3}"; done; }
run() {  # [NAME=VALUE...] COMMAND...: without a display unless one is named
  (cd "$copy" && env -u DISPLAY -u WAYLAND_DISPLAY -u RIDGE_CUDA -u RIDGE_WINDOW PATH="$copy/tools:$PATH" "$@")
}
start() { run app/run list; }
expect() {  # LINES: what the start says, in this order
  local said
  said=$(start)
  [ "$said" = "$1" ] || { printf 'expected:\n%s\nsaid:\n%s\n' "$1" "$said"; exit 1; }
}
first_start() {  # CORES TIME FILES: with the commands of before
  rm -f "$copy/build/build.ninja"
  echo "$1" >"$copy/cores"
  expect "ridgepoint: compiling $3 files takes about $2; later starts compile what has changed
compiled
started"
}

{
  compile 208 CMakeFiles/ridge_common.dir cpp
  echo "c++ a.o b.o -o bin/ridgepoint -lm"
} >"$copy/commands"
first_start 2 "2 minutes on 2 cores" 208
first_start 1 "5 minutes on 1 core" 208
first_start 16 "20 seconds on 16 cores" 208
expect "compiled
started"
# A window that is asked for later: the rest is there.
mkdir -p "$copy/build/CMakeFiles/ridge_common.dir"
for ((i = 1; i <= 208; i++)); do touch "$copy/build/CMakeFiles/ridge_common.dir/$i.cpp.o"; done
compile 11 CMakeFiles/ridge_window.dir cpp >>"$copy/commands"
first_start 2 "40 seconds on 2 cores" 11
compile 140 CMakeFiles/a.dir cu $'\n' >>"$copy/commands"
first_start 2 "5 minutes on 2 cores" 151

# What was configured since the last call: "window=ON kernels=all" a line.
configured() {
  sed -E 's/.*-DRIDGE_WINDOW=([A-Z]*).*-DRIDGE_KERNELS=([^ ]*).*/window=\1 kernels=\2/; s/kernels=$/kernels=all/' \
    "$copy/configured"
  rm "$copy/configured"
}
first_lab="gemm;probe;runtime/cpu;runtime/cuda;runtime/problems"
expect_configured() {  # LINES
  local seen
  seen=$(configured)
  [ "$seen" = "$1" ] || { printf 'expected to configure:\n%s\nconfigured:\n%s\n' "$1" "$seen"; exit 1; }
}
tool build/bin/ridgepoint 'echo "started: $*" >>started'
rm "$copy/build/build.ninja" "$copy/configured"
run app/run >/dev/null  # the first lab's ladder in the terminal
[ "$(tail -1 "$copy/started")" = "started: run gemm --set n=512 --mode live" ] ||
  { echo "a start without a display started: $(cat "$copy/started")"; exit 1; }
expect_configured "window=OFF kernels=$first_lab"
run app/run >/dev/null
[ ! -f "$copy/configured" ] || { echo "a second start configures again"; exit 1; }
start >/dev/null
expect_configured "window=OFF kernels=all"
run DISPLAY=:1 app/run list >/dev/null
run app/run >/dev/null
[ ! -f "$copy/configured" ] || { echo "a start for the terminal configures again"; exit 1; }
run DISPLAY=:1 app/run >/dev/null
expect_configured "window=ON kernels=all"
run app/run >/dev/null
[ ! -f "$copy/configured" ] || { echo "what was built for the window is built again"; exit 1; }
# A first start at a display: the first numbers, then the rest, then the window.
rm "$copy/build/build.ninja" "$copy/started"
run DISPLAY=:1 app/run >/dev/null
expect_configured "window=OFF kernels=$first_lab
window=ON kernels=all"
[ "$(cat "$copy/started")" = "started: run gemm --set n=512 --mode live
started: " ] || { echo "a first start at a display started: $(cat "$copy/started")"; exit 1; }

# The same from what ninja says of this build, as if nothing were compiled yet.
mkdir -p "$copy/real/CMakeFiles"
cp "$RIDGE_BUILD/build.ninja" "$copy/real"
cp "$RIDGE_BUILD/CMakeFiles/rules.ninja" "$copy/real/CMakeFiles"
said=$(source cmake/setup.sh; nproc() { echo 2; }; setup_how_long "$copy/real" ridgepoint ridgepoint-worker)
[[ $said =~ ^'ridgepoint: compiling '[0-9]{3}' files takes about '[0-9]+' minutes on 2 cores' ]] ||
  { echo "of the real build it is said: '$said'"; exit 1; }
echo "$said"

# What a test names when it is skipped for want of a package, tests/run installs, and web/build what the page needs.
for package in $(grep -ho '(Debian: [a-z0-9-]*)' tests/*_test.sh | tr -d '()' | cut -d' ' -f2 | sort -u); do
  grep -Eq "^(tests|paper|web)  *$package " cmake/packages.txt || { echo "$package is not in cmake/packages.txt"; exit 1; }
done
