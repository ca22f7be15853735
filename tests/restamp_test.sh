#!/usr/bin/env bash
# tests/restamp.py, in a repository of one kernel: a comment or a move changes no hash, code does, and only entries that
# were current are given the new one.
set -euo pipefail
tool=${RIDGE_BUILD:?set by ctest}/bin/rung-hashes
[ -x "$tool" ] || { echo "FAILED: $tool is not built"; exit 1; }
for needed in git python3; do
  command -v $needed >/dev/null || { echo "skipped: $needed is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed() { echo "FAILED: $*"; exit 1; }
restamp() { RIDGE_SOURCE=$work python3 "$RIDGE_SOURCE/tests/restamp.py" HEAD "$@"; }
hash_now() { "$tool" "$work" | sed -n 's/^toy.cuda.x //p'; }

cd "$work"
mkdir -p kernels/toy/rungs assets/recorded
cat > kernels/toy/rungs/x.cu <<'END'
// ridge: arch=75
#include "kernels/toy/shared.h"
__global__ void x(float* a) { a[0] = scale(1); }
RIDGE_KERNEL(toy, cuda, x, .launch = launch);
END
echo '__device__ float scale(float a) { return 2 * a; }' > kernels/toy/shared.h
git init -q . && git add -A && git -c user.name=t -c user.email=t@t commit -qm "one kernel"
old=$(hash_now)
[ ${#old} = 16 ] || failed "no hash: '$old'"
cat > assets/recorded/toy.gpu.jsonl <<END
{"type":"kernel","kernel":{"id":"toy.cuda.x","hash":"$old"}}
{"type":"result","outcome":{"kernel":"toy.cuda.x","hash":"$old"}}
{"type":"result","outcome":{"kernel":"toy.cuda.x","hash":"0123456789abcdef"}}
{"type":"result","outcome":{"kernel":"toy.cuda.y","hash":"$old"}}
END
cp assets/recorded/toy.gpu.jsonl before

# Words and places.
mkdir kernels/runtime && git mv kernels/toy/shared.h kernels/runtime/shared.h
sed -i 's|kernels/toy/shared.h|kernels/runtime/shared.h|; 2i // Why.' kernels/toy/rungs/x.cu
[ "$(hash_now)" = "$old" ] || failed "a comment and a move changed the hash"
[ -z "$(restamp)" ] || failed "restamp.py found a change where there is none"
cmp -s before assets/recorded/toy.gpu.jsonl || failed "a recording changed"

# Code, in the header.
sed -i 's/2 \* a/3 * a/' kernels/runtime/shared.h
new=$(hash_now)
[ "$new" != "$old" ] || failed "changed code has the hash that it had"
[ "$(restamp toy.cuda.x)" = "toy.cuda.x: $old is $new, 2 times" ] || failed "it says: $(restamp toy.cuda.x)"
sed "1,2s/$old/$new/" before | cmp -s - assets/recorded/toy.gpu.jsonl || failed "other lines were stamped too"
restamp toy.cuda.z 2>/dev/null && failed "a rung that is not there was taken"
echo passed
