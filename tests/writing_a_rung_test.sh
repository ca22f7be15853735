#!/usr/bin/env bash
# Does what docs/writing_a_rung.md says, on a copy of the tree: adds the file and the line, builds, and
# sees the rung listed, verified and compared.
set -euo pipefail
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$RIDGE_SOURCE"
tar -c --exclude=assets/recorded CMakeLists.txt cmake app assets labs kernels common worker | tar -x -C "$copy"
page=$RIDGE_SOURCE/docs/writing_a_rung.md

# The n-th block of C++ on the page.
block() { awk -v want="$1" '/^```cpp/{n++; on=(n==want); next} /^```/{on=0} on' "$page"; }
block 1 >"$copy/kernels/gemm/rungs/four_columns.cpp"
line=$(block 2)
[ -n "$line" ] || { echo "the page has no second block"; exit 1; }
awk -v line="$line" '{print} /"gemm.cpu.naive_o3"/{print line}' labs/gemm.cpp >"$copy/labs/gemm.cpp"

# All that the two edits do not touch was compiled for these tests already, from the same text: this stands
# before the compiler and hands it out (10 s instead of two minutes). $1: where the copy is.
cat >"$copy/reuse.sh" <<'REUSE'
copy=$1 source= object= previous=
shift
for word; do
  case $previous in -c) source=$word ;; -o) object=$word ;; esac
  previous=$word
done
back="s#$copy/build#$RIDGE_BUILD#g; s#$copy#$RIDGE_SOURCE#g"
# Files that are compiled together are as new as the newest of them.
files=$source
case $source in */Unity/*) files+=" $(sed -n 's/^#include "\(.*\)"$/\1/p' "$source")" ;; esac
same=1
for file in $files; do
  sed "$back" "$file" | cmp -s - "$(sed "$back" <<<"$file")" || same=0
done
if [ $same = 1 ] && [ -f "$RIDGE_BUILD/$object" ]; then
  exec ln -sf "$RIDGE_BUILD/$object" "$object"
fi
printf '%s\n' $files >>"$copy/compiled"
exec "$@"
REUSE

# Configured as that build is: objects of another would not fit.
mkdir "$copy/build"
sed "s#$RIDGE_BUILD#$copy/build#g; s#$RIDGE_SOURCE#$copy#g" "$RIDGE_BUILD/CMakeCache.txt" >"$copy/build/CMakeCache.txt"
launcher="bash;$copy/reuse.sh;$copy"
cmake -S "$copy" -B "$copy/build" -G Ninja -DRIDGE_TESTS=OFF "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" \
  "-DCMAKE_CUDA_COMPILER_LAUNCHER=$launcher" >/dev/null
ninja -C "$copy/build" >"$copy/build.log" || { tail -30 "$copy/build.log"; exit 1; }
for file in kernels/gemm/rungs/four_columns.cpp labs/gemm.cpp; do
  grep -q "$file" "$copy/compiled" || { echo "$file was not compiled"; exit 1; }
done

export RIDGE_CEILINGS=off  # a second at each start of a worker, and nothing here is held to them
ridgepoint=$copy/build/bin/ridgepoint
"$ridgepoint" list | grep -q four_columns || { echo "four_columns is not listed"; exit 1; }
"$ridgepoint" run gemm --rungs four_columns --set n=96 --mode measure --json --limit 1 >"$copy/run.json"
python3 - "$copy/run.json" <<'P'
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
assert result["kernel"] == "gemm.cpu.four_columns", result["kernel"]
assert result["status"] == "ok" and result["quality"]["passed"] is True, result
assert result["stats"]["median_ns"] > 0, result
P
# 1.2x to 4x: whatever it is here, the comparison must come to an end with a verdict (0 or 1 or 2).
status=0
"$ridgepoint" compare gemm --baseline naive_o3 --candidate four_columns --set n=96 --limit 1 || status=$?
[ "$status" -le 2 ] || { echo "compare ended with $status"; exit 1; }
