#!/usr/bin/env bash
# The picture of the rooms in docs/architecture.md is what the includes say.
set -euo pipefail
python3 "$RIDGE_SOURCE/docs/rooms.py" --check
