#!/usr/bin/env bash
# The worker for other machines (docs/commands.md, "A worker for another machine"): of shared libraries it asks for the C
# library's alone, it runs from a folder of its own, and the transcript that it leaves opens here.
set -euo pipefail
source "$RIDGE_SOURCE/tests/scratch_copy.sh"
make_copy
# As the preset is, for one lab; what this build found as shared libraries is looked for again.
copy_options=(-DRIDGE_PORTABLE=ON '-DRIDGE_KERNELS=gemm;probe;runtime/cpu;runtime/cuda;runtime/problems' '-UZLIB*')
export copy_unlike=N3fmt  # fmt is compiled in, and not linked
build_copy ridgepoint-worker ridgepoint-starter

for program in ridgepoint-worker ridgepoint-starter; do
  needed=$(objdump -p "$copy/build/bin/$program" | awk '$1 == "NEEDED" { print $2 }')
  echo "$program needs" $needed "and" \
    "$(objdump -T "$copy/build/bin/$program" | grep -o 'GLIBC_2\.[0-9]*' | sort -V | tail -1)"
  # The C library of an older system has some of it in files of their own.
  bad=$(grep -vxE '(libc|libm|libdl|libpthread|librt|ld-linux[a-z0-9-]*)\.so\.[0-9]+' <<<"$needed" || true)
  [ -z "$bad" ] || { echo "$program needs more than the C library:" $bad; exit 1; }
done

# Copied to where nothing of this build is, and asked through a pipe, as ssh would.
mkdir "$copy/elsewhere"
cp "$copy"/build/bin/ridgepoint-{worker,starter} "$copy/elsewhere"
export RIDGE_CEILINGS=off
cd "$copy/elsewhere"
"$RIDGE_BIN" run gemm --rungs loop_order --set n=96 --mode measure --limit 1 --out "$copy/run.jsonl" \
  --worker "env -i RIDGE_CEILINGS=off ./ridgepoint-worker --stdio" >"$copy/said" || { cat "$copy/said"; exit 1; }
"$RIDGE_BIN" report "$copy/run.jsonl" | grep -q 'loop order\|loop_order' || { echo "its transcript is not of the run"; exit 1; }
"$RIDGE_BIN" compare --baseline "sleep 0.01" --candidate true --limit 0.001 \
  --worker "./ridgepoint-worker --commands" >"$copy/said" || { cat "$copy/said"; exit 1; }

# And without an app beside it, by the page's commands: requests in, a transcript out.
cp "$copy/run.jsonl" small.jsonl
page=$(awk '/^## A worker for another machine$/ { on = 1 } on && /^```sh$/ { ++block; next } /^```$/ { next } block == 2' \
  "$RIDGE_SOURCE/docs/commands.md" | sed '/^$/q' | grep -v '^ridgepoint run')
[ "$(grep -c . <<<"$page")" = 3 ] || { echo "docs/commands.md has other commands: $page"; exit 1; }
eval "${page//sleep 3600/sleep 20}"
"$RIDGE_BIN" report carried.jsonl | grep -q 'loop order\|loop_order' || { echo "what it wrote alone does not open"; exit 1; }
echo "the worker runs with the C library alone"
