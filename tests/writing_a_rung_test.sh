#!/usr/bin/env bash
# Does what docs/writing_a_rung.md says, on a copy of the tree: adds the file and the line, builds, and
# sees the rung listed, verified and compared.
set -euo pipefail
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cd "$RIDGE_SOURCE"
# Without other labs' kernels, which are half of the build and have no part in it.
tar -c CMakeLists.txt cmake app assets labs kernels/{gemm,probe,device} common worker | tar -x -C "$copy"
page=$RIDGE_SOURCE/docs/writing_a_rung.md

# The n-th block of C++ on the page.
block() { awk -v want="$1" '/^```cpp/{n++; on=(n==want); next} /^```/{on=0} on' "$page"; }
block 1 >"$copy/kernels/gemm/four_columns.cpp"
line=$(block 2)
[ -n "$line" ] || { echo "the page has no second block"; exit 1; }
awk -v line="$line" '{print} /"gemm.cpu.naive_o3"/{print line}' labs/gemm.cpp >"$copy/labs/gemm.cpp"

# The programs without optimisation, which is three times faster to build; kernels keep their flags.
cmake -S "$copy" -B "$copy/build" -G Ninja -DRIDGE_WINDOW=OFF -DRIDGE_TESTS=OFF -DRIDGE_CUDA=OFF \
  -DCMAKE_CXX_FLAGS_RELEASE=-O0 >/dev/null
ninja -C "$copy/build" >"$copy/build.log" || { tail -30 "$copy/build.log"; exit 1; }

ridgepoint=$copy/build/bin/ridgepoint
"$ridgepoint" list | grep -q four_columns || { echo "four_columns is not listed"; exit 1; }
"$ridgepoint" run gemm --rungs four_columns --set n=96 --mode measure --json --limit 2 >"$copy/run.json"
python3 - "$copy/run.json" <<'P'
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
assert result["kernel"] == "gemm.cpu.four_columns", result["kernel"]
assert result["status"] == "ok" and result["quality"]["passed"] is True, result
assert result["stats"]["median_ns"] > 0, result
P
# 1.2x to 4x: whatever it is here, the comparison must come to an end with a verdict (0 or 1 or 2).
status=0
"$ridgepoint" compare gemm --baseline naive_o3 --candidate four_columns --set n=96 --limit 3 || status=$?
[ "$status" -le 2 ] || { echo "compare ended with $status"; exit 1; }
