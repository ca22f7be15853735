#!/usr/bin/env bash
# Does what docs/writing_a_rung.md says, on a copy of the tree: adds the file and the line, builds, and
# sees the rung listed, verified and compared.
set -euo pipefail
source "$RIDGE_SOURCE/tests/scratch_copy.sh"
make_copy
cd "$RIDGE_SOURCE"
page=$RIDGE_SOURCE/docs/writing_a_rung.md

# The n-th block of C++ on the page.
block() { awk -v want="$1" '/^```cpp/{n++; on=(n==want); next} /^```/{on=0} on' "$page"; }
block 1 >"$copy/kernels/gemm/rungs/four_columns.cpp"
line=$(block 2)
[ -n "$line" ] || { echo "the page has no second block"; exit 1; }
awk -v line="$line" '{print} /"gemm.cpu.naive_o3"/{print line}' labs/gemm.cpp >"$copy/labs/gemm.cpp"

build_copy
was_compiled kernels/gemm/rungs/four_columns.cpp labs/gemm.cpp

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
