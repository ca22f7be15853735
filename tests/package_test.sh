#!/usr/bin/env bash
# The archive that cpack makes of this build, unpacked, moved and run in an empty environment: it needs the C and C++
# libraries alone, and finds its own worker, assets, headers and manual wherever the folder lies. The .deb holds the same.
# tests/package is the long form, on bare Debian systems.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

(cd "$RIDGE_BUILD" && cpack -B "$folder") >"$folder/log" 2>&1 || { tail -20 "$folder/log"; fail "cpack"; }
archive=$(echo "$folder"/ridgepoint-*.tar.gz) deb=$(echo "$folder"/*.deb)
tar xf "$archive" -C "$folder"
mv "${archive%.tar.gz}" "$folder/moved here"
cd "$folder"
at="$folder/moved here"
inside() { env -i HOME="$folder/home" PATH="${path:-/usr/bin:/bin}" RIDGE_CEILINGS=off "$@"; }
mkdir home

# ---- what it asks of a system ----
for program in "$at"/bin/* "$at"/lib/ridgepoint/*.so.*; do
  objdump -p "$program" | awk '$1 == "NEEDED" { print $2 }' | while read -r needed; do
    case $needed in
    libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | libstdc++.so.6 | libgcc_s.so.1 | ld-linux*) ;;
    libX11.so.6) [[ $program == */libglfw.so* ]] || fail "$program needs $needed" ;;
    *) [ -e "$at/lib/ridgepoint/$needed" ] || fail "$program needs $needed, which the archive lacks" ;;
    esac
  done
done
for library in "$at"/lib/ridgepoint/*.so.?; do
  name=$(basename "$library" | sed 's/\.so.*//; s/^libz$/zlib1g/')
  grep -q "^$name" "$at/share/doc/ridgepoint/licences/libraries.txt" || fail "packaging/libraries.txt lacks $name"
done
[ -s "$at/share/doc/ridgepoint/licences/libglfw3-dev.txt" ] || fail "no text of GLFW's licence"

# A GPU later than any that this build knows compiles the portable rungs' PTX.
if objdump -h "$at/bin/ridgepoint-worker" | grep -q nv_fatbin && command -v python3 >/dev/null; then
  objcopy -O binary --only-section=.nv_fatbin "$at/bin/ridgepoint-worker" fatbin
  "$RIDGE_SOURCE/tests/device_code.py" fatbin || fail "a later GPU would have an empty ladder"
fi

# ---- it runs ----
[ "$(inside "$at/ridgepoint" --version)" = "$("$RIDGE_BIN" --version)" ] || fail "another version"
inside "$at/ridgepoint" run gemm --set n=64 --rungs loop_order --mode live --json >run.json || fail "run: $?"
grep -q '"kernel": *"gemm.cpu.loop_order"' run.json || fail "no result of the archive's worker"
inside "$at/ridgepoint" compare --baseline "sleep 0.01" --candidate true --limit 0.001 >said || fail "compare: $(cat said)"

# Libraries that it opens when they are needed, and none that is not: a command opens no window's library.
LD_DEBUG=files inside LD_DEBUG=files "$at/bin/ridgepoint" list 2>opened >/dev/null || fail "list"
[ ! -e /usr/share/fonts/opentype/inter/Inter-Medium.otf ] || [ -s "$at/share/ridgepoint/fonts/Inter-Medium.otf" ] || fail "no fonts"
grep -q "calling init:.*/lib/ridgepoint/libmd4c" opened || fail "md4c is not the archive's: $(grep md4c opened | head -3)"
if grep -q 'libglfw\|libX11\|libGL' opened; then fail "a command opens the window's libraries"; fi

# A library that is compared with runs on the worker's own threads, where it is here.
if "$RIDGE_BIN" list gemm | grep -q 'gemm.cpu.openblas.*runs here'; then
  inside LD_DEBUG=bindings LD_DEBUG_OUTPUT="$folder/bound" "$at/ridgepoint" run gemm --set n=64 --rungs openblas --mode live >said || fail "openblas: $(cat said)"
  grep -qh "libopenblas.* to .*/bin/ridgepoint-worker .*GOMP_parallel" bound.* || fail "OpenBLAS has threads of its own"
  rm bound.*
fi

# Where such a library is not: the rung says so, and the others run. Hidden in a mount namespace, which wants root.
hidden=$(readlink -f /usr/lib/*/openblas-openmp/libopenblas.so.0 2>/dev/null || true)
if [ -n "$hidden" ] && unshare --mount true 2>/dev/null; then
  inside at="$at" hidden="$hidden" unshare --mount bash -c '
    mount --bind /dev/null "$hidden"
    "$at/ridgepoint" list gemm >listed && "$at/ridgepoint" run gemm --set n=64 --rungs loop_order --mode live' >said 2>&1 ||
    fail "without OpenBLAS: $(cat said)"
  grep -q 'gemm.cpu.openblas .*not here: needs libopenblas.so.0, which .*: install libopenblas0-openmp' listed || fail "OpenBLAS is listed as: $(grep openblas listed)"
  grep -q "cpu.loop_order .*FLOP/s" said || fail "without OpenBLAS nothing runs: $(cat said)"
fi

# Its own assets: without its recordings the page's figures are gone, whatever another folder holds.
figures() { inside "$at/ridgepoint" figures "$at/share/doc/ridgepoint/README.md" >said 2>&1; }
figures || fail "figures: $(cat said)"
mkdir hidden && mv "$at/share/ridgepoint/recorded/"gemm.* hidden
if figures; then fail "recordings of another folder"; fi
mv hidden/* "$at/share/ridgepoint/recorded"

# Its own headers: an edited rung is compiled with those that came with it.
inside "$at/ridgepoint" edit gemm.cpu.loop_order --to "$folder/mine.cpp" >said 2>&1 || fail "edit: $(cat said)"
edited() { inside "$at/ridgepoint" run gemm --set n=64 --rungs loop_order --edit "$folder/mine.cpp" --mode live >said 2>&1; }
edited || fail "an edited rung: $(cat said)"
mv "$at/share/ridgepoint/source/common/harness/kernel/edited.h" hidden.h
if edited; then fail "headers of another folder"; fi
grep -q "$at/share/ridgepoint/source" said || fail "the missing header's folder is not named: $(cat said)"
mv hidden.h "$at/share/ridgepoint/source/common/harness/kernel/edited.h"

# ---- where it cannot run: one sentence with what to do ----
refused() { # words, then an environment in which the first program says them
  local words=$1
  shift
  local code=0
  inside "$@" "$at/ridgepoint" --version >said 2>&1 || code=$?
  [ "$code" = 69 ] && [ "$(wc -l <said)" = 1 ] && grep -q "$words" said || fail "not refused by '$words': $(cat said)"
}
mkdir tools
tool() { printf '#!/bin/sh\necho %s\n' "$2" >"tools/$1" && chmod +x "tools/$1"; }
tool getconf "glibc 2.31"
path="$folder/tools:/usr/bin:/bin" refused "this system has glibc 2.31"
tool getconf ""
path="$folder/tools:/usr/bin:/bin" refused "another C library"
rm tools/getconf
tool uname riscv64
path="$folder/tools:/usr/bin:/bin" refused "this machine is riscv64"

# ---- a worker alone, on another machine: the page's commands (docs/commands.md) ----
inside "$at/ridgepoint" run gemm --rungs loop_order --set n=96 --mode measure --limit 1 --out small.jsonl \
  --worker "env -i RIDGE_CEILINGS=off '$at/bin/ridgepoint-worker' --stdio" >said || fail "a worker of its own: $(cat said)"
page=$(awk '/^## A worker on another machine$/ { on = 1 } on && /^```sh$/ { ++block; next } /^```$/ { next } block == 2' \
  "$RIDGE_SOURCE/docs/commands.md" | sed '/^$/q' | grep -v '^ridgepoint run')
[ "$(grep -c . <<<"$page")" = 3 ] || fail "docs/commands.md has other commands: $page"
page=${page//sleep 3600/sleep 20}
(cd "$at/bin" && mv "$folder/small.jsonl" . && eval "$page" && mv carried.jsonl "$folder")
"$RIDGE_BIN" report carried.jsonl | grep -q 'loop order\|loop_order' || fail "what it wrote alone does not open"

# ---- the .deb ----
listed() { sed 's#^\./##; /^$/d; \#/$#d' | LC_ALL=C sort; }
diff <(tar tzf "$archive" | sed 's#^[^/]*/##' | listed | grep -vx ridgepoint) \
  <(dpkg-deb --fsys-tarfile "$deb" | tar t | sed 's#^\./usr/##' | listed) || fail "the .deb holds other files than the archive"
dpkg-deb -f "$deb" Depends | grep -q 'libc6 (>= 2\.' || fail "the .deb asks for no C library"
for file in man/man1/ridgepoint.1 bash-completion/completions/ridgepoint zsh/site-functions/_ridgepoint \
  fish/vendor_completions.d/ridgepoint.fish applications/ridgepoint.desktop doc/ridgepoint/LICENSE \
  icons/hicolor/scalable/apps/ridgepoint.svg; do
  [ -s "$at/share/$file" ] || fail "no $file"
done
echo "packed, moved, run"
