#!/usr/bin/env bash
# ISA-flagged objects may not bring AVX code to a CPU without it: no static initialisers (they run at
# start-up), no weak functions (the linker may pick this copy for the whole program).
set -euo pipefail
shopt -s nullglob
failed=0 seen=0
for object in "$RIDGE_BUILD"/CMakeFiles/ridge_kernels_*avx*.dir/kernels/{*,*/*}/*.o; do
  seen=$((seen + 1))
  if weak=$(nm -C "$object" | grep -E ' [WVu] ' | grep -v ' DW.ref'); then
    echo "weak symbols in $object:"; echo "$weak"; failed=1
  fi
  if readelf -SW "$object" | grep -E '\.(init_array|ctors)'; then
    echo "a static initialiser in $object"; failed=1
  fi
done
[ "$seen" -gt 0 ] || { echo "no ISA-flagged object found: the test looks in the wrong place"; exit 1; }
# The started program itself: everything the loader runs before main, in the part compiled for all.
echo "$seen ISA-flagged objects looked at"
exit $failed
