#!/usr/bin/env bash
# Does what docs/adding.md says, on a copy of the tree: writes each block of the page into the file that its fence
# names, builds the app once, and sees what came of it.
set -euo pipefail
source "$RIDGE_SOURCE/tests/scratch_copy.sh"
make_copy
page=$RIDGE_SOURCE/docs/adding.md

# ```cpp app/cli/cmd_x.cpp: the block goes into that file, which must be new.
awk -v copy="$copy" '
  /^```[a-z]+ [^ ]+$/ { file = copy "/" $2; print $2; next }
  /^```/ { if (file) close(file); file = ""; next }
  file { print > file }' "$page" >"$copy/added"
while read -r file; do
  [ ! -e "$RIDGE_SOURCE/$file" ] || { echo "$file is there already: the page's example must be new"; exit 1; }
done <"$copy/added"
[ "$(wc -l <"$copy/added")" -ge 5 ] || { echo "the page has fewer blocks with a file than it had"; exit 1; }

build_copy ridgepoint
# A build without a window compiles nothing of it.
has_window() { grep -q '^RIDGE_WINDOW:BOOL=ON' "$copy/build/CMakeCache.txt"; }
was_compiled $(grep '\.cpp$' "$copy/added" | { has_window && cat || grep -v '^app/window/'; })
export RIDGE_CEILINGS=off  # a second at each start of a worker, and nothing here is held to them
ridgepoint() { "$copy/build/bin/ridgepoint" --worker "'$RIDGE_WORKER' --stdio" "$@"; }
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
  ridgepoint report --help | grep -q '\.trace\.json or \.txt; default' || missing "help of report lacks .txt"
  ridgepoint report "$run" --out "$copy/report.txt" >/dev/null 2>&1
  grep -q '^- ' "$copy/report.txt" || missing "report.txt has no sections"
  { ridgepoint report "$run" --out "$copy/report.doc" 2>&1 || true; } | grep -q 'or \.txt' || missing "the hint lacks .txt"
}

see_lab() {
  ridgepoint list | head -1 | grep -q '^first_steps  First steps: ' || missing "list does not begin with the lab"
  ridgepoint run first_steps --rungs loop_order --set n=128 --mode live --limit 1 >/dev/null || missing "the lab does not run"
  if ! ridgepoint handout first_steps --out "$copy/page.html" 2>"$copy/why"; then
    grep -q 'without Markdown' "$copy/why" || missing "no handout: $(cat "$copy/why")"
    return
  fi
  grep -q 'uses all of a cache line' "$copy/page.html" || missing "the handout lacks the lesson"
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
see_view
see_docs
