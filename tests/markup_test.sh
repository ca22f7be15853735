#!/usr/bin/env bash
# Reports and handouts of runs whose every text holds markup: a browser runs and loads none of it (tests/markup.py).
# Exit 77: skipped, with the reason.
set -u
bin=${RIDGE_BIN:?set by ctest}
source=${RIDGE_SOURCE:?set by ctest}
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
export HOME="$work" XDG_CONFIG_HOME="$work" XDG_DATA_HOME="$work"

pages=()
for run in "$source"/tests/golden/screens/run.jsonl "$source"/tests/fixtures/runs/*.jsonl; do
  name=$(basename "$run" .jsonl)
  python3 "$source/tests/markup.py" plant "$run" "$work/$name.jsonl" || fail "plant $name"
  "$bin" report "$work/$name.jsonl" --out "$work/$name.html" >/dev/null 2>"$work/err" || { cat "$work/err"; continue; }
  pages+=("$work/$name.html")
done
[ ${#pages[@]} -ge 3 ] || fail "only ${#pages[@]} runs have a report"
"$bin" handout gemm "$work/run.jsonl" --out "$work/handout.html" >/dev/null 2>"$work/err" || fail "handout: $(cat "$work/err")"
python3 "$source/tests/markup.py" check "${pages[@]}" "$work/handout.html" || fail "see above"

chromium=$(command -v chromium chromium-browser google-chrome | head -1)
[ -n "$chromium" ] || { echo "passed; no Chromium is installed, which would open the pages (Debian: chromium)"; exit 0; }
for page in "${pages[@]}" "$work/handout.html"; do
  timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom "file://$page" \
    >"$work/dom" 2>/dev/null || fail "Chromium does not open $page"
  grep -q '<title>broken' "$work/dom" && fail "$page ran a script"
  grep -qi '<script' "$work/dom" && fail "$page has a script element"
done
echo "passed: ${#pages[@]} reports and a handout, in Chromium too"
