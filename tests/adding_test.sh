#!/usr/bin/env bash
# Does what docs/adding.md and docs/writing_a_rung.md say, on a copy of the tree: writes each block of the pages into
# the file that its fence names, and the rung's line into its lab, builds once, and sees what came of it.
set -euo pipefail
source "$RIDGE_SOURCE/tests/scratch_copy.sh"
make_copy
pages=("$RIDGE_SOURCE"/docs/{adding,writing_a_rung}.md)

# ```cpp app/cli/cmd_x.cpp: the block goes into that file, which must be new.
awk -v copy="$copy" '
  /^```[a-z]+ [^ ]+$/ { file = copy "/" $2; print $2; next }
  /^```/ { if (file) close(file); file = ""; next }
  file { print > file }' "${pages[@]}" >"$copy/added"
while read -r file; do
  [ ! -e "$RIDGE_SOURCE/$file" ] || { echo "$file is there already: the page's example must be new"; exit 1; }
done <"$copy/added"
[ "$(wc -l <"$copy/added")" -ge 6 ] || { echo "the pages have fewer blocks with a file than they had"; exit 1; }
# The one block without a file is the rung's line.
line=$(awk '/^```cpp$/ { on = 1; next } /^```/ { on = 0 } on' "${pages[1]}")
[ -n "$line" ] || { echo "${pages[1]} has no line for the lab"; exit 1; }
awk -v line="$line" '{ print } /^ *[{]"gemm.cpu.naive_o3"/ { print line }' "$RIDGE_SOURCE/labs/gemm.cpp" >"$copy/labs/gemm.cpp"

build_copy ridgepoint ridgepoint-worker
# A build without a window compiles nothing of it.
has_window() { grep -q '^RIDGE_WINDOW:BOOL=ON' "$copy/build/CMakeCache.txt"; }
was_compiled labs/gemm.cpp $(grep '\.cpp$' "$copy/added" | { has_window && cat || grep -v '^app/window/'; })
ridgepoint() { "$copy/build/bin/ridgepoint" "$@"; }
missing() { echo "$1"; exit 1; }

see_command() {
  ridgepoint --help | grep -A1 '^  list ' | grep -q "^  ladder  *the ids of a lab's rungs$" || missing "help lacks ladder"
  ridgepoint ladder gemm | grep -qx gemm.cpu.loop_order || missing "ladder lists no rung"
  local code=0
  ridgepoint ladder nowhere 2>/dev/null || code=$?
  [ $code = 64 ] || missing "ladder of an unknown lab ends with $code"
}

see_format() {
  local run=$RIDGE_SOURCE/assets/recorded/fusion.h200.jsonl
  ridgepoint report --help | tr -s '\n ' ' ' | grep -q '\.trace\.json or \.txt; default' || missing "help of report lacks .txt"
  ridgepoint report "$run" --out "$copy/report.txt" >/dev/null 2>&1
  grep -q '^- ' "$copy/report.txt" || missing "report.txt has no sections"
  { ridgepoint report "$run" --out "$copy/report.doc" 2>&1 || true; } | grep -q 'or \.txt' || missing "the hint lacks .txt"
}

see_lab() {
  ridgepoint list | sed -n 2p | grep -q '^first_steps: First steps ' || missing "list does not begin with the lab"
  ridgepoint run first_steps --rungs loop_order --set n=128 --mode live --limit 1 >/dev/null || missing "the lab does not run"
  if ! ridgepoint handout first_steps --out "$copy/page.html" 2>"$copy/why"; then
    grep -q 'without Markdown' "$copy/why" || missing "no handout: $(cat "$copy/why")"
    return
  fi
  grep -q 'uses all of a cache line' "$copy/page.html" || missing "the handout lacks the lesson"
}

see_rung() {
  ridgepoint list gemm | grep -q four_columns || missing "four_columns is not listed"
  ridgepoint run gemm --rungs four_columns --set n=96 --mode measure --json --limit 1 >"$copy/run.json"
  python3 - "$copy/run.json" <<'P'
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
assert result["kernel"] == "gemm.cpu.four_columns", result["kernel"]
assert result["status"] == "ok" and result["quality"]["passed"] is True, result
assert result["stats"]["median_ns"] > 0, result
P
  # 1.2x to 4x: whatever it is here, the comparison must come to an end with a verdict (0 or 1 or 2).
  local status=0
  ridgepoint compare gemm --baseline naive_o3 --candidate four_columns --set n=96 --limit 1 || status=$?
  [ "$status" -le 2 ] || missing "compare ended with $status"
}

see_view() {
  has_window || { echo "no view: this build has no window"; return; }
  ridgepoint list --actions | grep -q 'Libraries: the peers alone' || missing "list --actions lacks the view"
  [ -n "$(command -v xvfb-run)" ] || { echo "no picture of the view: xvfb-run is missing"; return; }
  xvfb-run -a "$copy/build/bin/ridgepoint" shot libraries "$copy/view.png" --replay \
    "$RIDGE_SOURCE/assets/recorded/fusion.h200.jsonl" >/dev/null || missing "the view has no picture"
  [ -s "$copy/view.png" ] || missing "the view's picture is empty"
}

# What was added keeps the rules that docs/architecture.md gives for every file.
see_docs() {
  RIDGE_SOURCE=$copy bash "$RIDGE_SOURCE/tests/includes_test.sh" || missing "the rules of includes do not hold"
}

see_command
see_format
see_lab
see_rung
see_view
see_docs
