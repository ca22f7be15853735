#!/usr/bin/env bash
# The worker of a page, driven under node by lines (tests/web_worker.py). RIDGE_WEB=FOLDER names the page that emscripten
# built, which holds ridgepoint-worker.js. Exit 77: skipped, with the reason.
set -u
source=${RIDGE_SOURCE:?set by ctest}
skip() { echo "skipped: $*"; exit 77; }
[ -n "${RIDGE_WEB:-}" ] || skip "no page is named: RIDGE_WEB=FOLDER"
command -v node >/dev/null || skip "node is not installed (Debian: nodejs)"
[ -f "$RIDGE_WEB/ridgepoint-worker.js" ] || { echo "FAILED: $RIDGE_WEB holds no ridgepoint-worker.js"; exit 1; }
exec python3 "$source/tests/web_worker.py" "$RIDGE_WEB/ridgepoint-worker.js"
