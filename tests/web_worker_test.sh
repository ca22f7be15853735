#!/usr/bin/env bash
# The worker of the browser edition, driven under node by lines (tests/web_worker.py). RIDGE_WEB names the folder that web/build
# made.
set -euo pipefail
worker=${RIDGE_WEB:+$RIDGE_WEB/page/ridgepoint-worker.js}
[ -n "$worker" ] || { echo "skipped: RIDGE_WEB names no folder made by web/build"; exit 77; }
[ -f "$worker" ] || { echo "$worker is not there: RIDGE_WEB names a folder that web/build made"; exit 1; }
command -v node >/dev/null || { echo "skipped: no node here (Debian: nodejs)"; exit 77; }
exec python3 "$RIDGE_SOURCE/tests/web_worker.py" "$worker"
