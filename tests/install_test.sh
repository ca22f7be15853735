#!/usr/bin/env bash
# cmake --install: what is installed runs from wherever its folder lies, with its own assets, headers and manual.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

cmake --install "$RIDGE_BUILD" --prefix "$folder/first" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "cmake --install"; }
mv "$folder/first" "$folder/moved"
cd "$folder"
at=$folder/moved
export XDG_DATA_HOME=$folder/data XDG_CONFIG_HOME=$folder/config XDG_CACHE_HOME=$folder/cache RIDGE_CEILINGS=off
unset RIDGEPOINT_ASSETS RIDGEPOINT_SOURCE RIDGE_WORKER

[ "$("$at/bin/ridgepoint" --version)" = "$("$RIDGE_BIN" --version)" ] || fail "another version"
"$at/bin/ridgepoint" run gemm --set n=64 --rungs loop_order --mode live --json >run.json || fail "run: $?"
grep -q '"kernel": *"gemm.cpu.loop_order"' run.json || fail "no result of the installed worker"

# Its own assets: without its recordings the page's figures are gone, whatever another folder holds.
"$at/bin/ridgepoint" figures "$at/share/doc/ridgepoint/README.md" >figures 2>&1 || fail "figures: $(cat figures)"
mkdir hidden && mv "$at/share/ridgepoint/recorded/"gemm.* hidden
if "$at/bin/ridgepoint" figures "$at/share/doc/ridgepoint/README.md" >figures 2>&1; then fail "recordings of another folder"; fi
mv hidden/* "$at/share/ridgepoint/recorded"

# Its own headers: an edited rung is compiled with those that were installed.
"$at/bin/ridgepoint" edit gemm.cpu.loop_order --to "$folder/mine.cpp" >edit.out 2>&1 || fail "edit: $(cat edit.out)"
edited() { "$at/bin/ridgepoint" run gemm --set n=64 --rungs loop_order --edit "$folder/mine.cpp" --mode live >edited.out 2>&1; }
edited || fail "an edited rung: $(cat edited.out)"
mv "$at/share/ridgepoint/source/common/harness/kernel/edited.h" hidden.h
if edited; then fail "headers of another folder"; fi
grep -q "$at/share/ridgepoint/source" edited.out || fail "the missing header's folder is not named: $(cat edited.out)"
mv hidden.h "$at/share/ridgepoint/source/common/harness/kernel/edited.h"

for file in man/man1/ridgepoint.1 bash-completion/completions/ridgepoint zsh/site-functions/_ridgepoint \
  fish/vendor_completions.d/ridgepoint.fish applications/ridgepoint.desktop doc/ridgepoint/LICENSE \
  icons/hicolor/scalable/apps/ridgepoint.svg; do
  [ -s "$at/share/$file" ] || fail "no $file"
done
echo "installed, moved, run"
