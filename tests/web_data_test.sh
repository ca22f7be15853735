#!/usr/bin/env bash
# The data sets of the browser edition, fetched by its worker in a headless Chromium (tests/web_data.py). RIDGE_WEB names the folder
# that web/build made.
set -euo pipefail
page=${RIDGE_WEB:+$RIDGE_WEB/page}
[ -n "$page" ] || { echo "skipped: RIDGE_WEB names no folder made by web/build"; exit 77; }
[ -f "$page/ridgepoint.wasm" ] || { echo "$page/ridgepoint.wasm is not there: RIDGE_WEB names a folder that web/build made"; exit 1; }
command -v chromium >/dev/null || { echo "skipped: no chromium here"; exit 77; }
exec python3 "$RIDGE_SOURCE/tests/web_data.py" "$page"
