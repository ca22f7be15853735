#!/usr/bin/env bash
# Twenty odd and skinny products: a candidate against a baseline, interleaved, with the ratios and their
# geometric mean at the end. A ratio above 1 says that the candidate is faster.
#
#   tests/bench/gemm_cpu_shapes.sh BUILD [candidate] [baseline] [threads] [limit in s] [FILE]
#
# FILE: lines "m n k", for products that nothing was tuned on; else the twenty below.
#
# Measures: wants a quiet machine. Not part of the test suite.
set -euo pipefail
build=$1 candidate=${2:-threads} baseline=${3:-onednn} threads=${4:-1} limit=${5:-3}

# m n k. Odd: off every tile by a little. Skinny: one or two of the three are small.
shapes="
1000 1000 1000
1023 1025 1027
777 555 333
257 513 1031
500 1500 700
127 127 127
31 37 41
100 100 100
1 4096 4096
4 4096 1024
16 2048 2048
33 1111 2222
4096 1 4096
4096 4 1024
2048 16 2048
2000 33 1500
2048 2048 8
1024 1024 33
64 64 10000
33 33 8192
"
[ -z "${6:-}" ] || shapes=$(<"$6")

ratios=
while read -r m n k; do
  [ -z "$m" ] && continue
  # "slower" is an exit code of its own, and an answer here.
  ratio=$({ "$build/bin/ridgepoint" compare gemm --baseline "$baseline" --candidate "$candidate" \
    --set "m=$m" --set "n=$n" --set "k=$k" --set "threads=$threads" --limit "$limit" --json 2>/dev/null || true; } |
    python3 -c 'import json, sys
c = json.load(sys.stdin)["comparisons"][0]
print("%.4f %.4f %.4f %s" % (c["ratio"], c["ci_low"], c["ci_high"], c["verdict"]))')
  printf '%6d x %5d x %5d   %s\n' "$m" "$n" "$k" "$ratio"
  ratios+="${ratio%% *} "
done <<<"$shapes"
python3 -c 'import math, sys
r = [float(x) for x in sys.argv[1].split()]
print("geometric mean of %d: %.4f" % (len(r), math.exp(sum(map(math.log, r)) / len(r))))' "$ratios"
