#!/usr/bin/env bash
# The browser edition in a headless Chromium: it paints, its address opens a lab at a rung, the worker answers and a rung gets
# its checked result, and a browser without WebGL 2 is told so. RIDGE_WEB names the folder that web/build made.
set -euo pipefail
page=${RIDGE_WEB:+$RIDGE_WEB/page}
[ -n "$page" ] || { echo "skipped: RIDGE_WEB names no folder made by web/build"; exit 77; }
[ -f "$page/ridgepoint.wasm" ] || { echo "$page/ridgepoint.wasm is not there: RIDGE_WEB names a folder that web/build made"; exit 1; }
command -v chromium >/dev/null || { echo "skipped: no chromium here"; exit 77; }
exec python3 "$RIDGE_SOURCE/tests/web_page.py" "$page"
