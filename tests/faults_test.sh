#!/usr/bin/env bash
# The quick cases of the fault matrix (tests/faults, which takes minutes for all). Exit 77: skipped, with the reason.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
exec python3 "${RIDGE_SOURCE:?set by ctest}/tests/faults" --quick --build "${RIDGE_BUILD:?set by ctest}"
