#!/usr/bin/env bash
# Figures that texts have typed are on tests/typed_figures.txt, which may only become shorter (tests/typed_figures.py).
set -euo pipefail
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
cd "$RIDGE_SOURCE"
tests/typed_figures.py
