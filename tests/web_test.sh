#!/usr/bin/env bash
# The browser edition in a headless Chromium: it paints, its address opens a lab or a run, the worker answers and a rung gets
# its checked result, runs are dropped and reports downloaded, and a browser that lacks something is told so in a sentence.
# web_hands_test.sh uses it as a person does. RIDGE_WEB names the folder that web/build made; words: other checks than these.
set -euo pipefail
page=${RIDGE_WEB:+$RIDGE_WEB/page}
[ -n "$page" ] || { echo "skipped: RIDGE_WEB names no folder made by web/build"; exit 77; }
[ -f "$page/ridgepoint.wasm" ] || { echo "$page/ridgepoint.wasm is not there: RIDGE_WEB names a folder that web/build made"; exit 1; }
command -v chromium >/dev/null || { echo "skipped: no chromium here"; exit 77; }
[ $# -gt 0 ] || set -- paints start fragment link worker threads not_isolated drop report no_webgl no_simd golden
exec python3 "$RIDGE_SOURCE/tests/web_page.py" "$page" "$@"
