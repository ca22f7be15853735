#!/usr/bin/env bash
# From a save to the first verified number, as `ridgepoint edit --watch` tells it: each rung saved RUNS
# times, its median printed. tests/bench/your_turn.sh [BUILD_FOLDER [RUNS [RUNG:n ...]]]
# A rung that never gets there (a failed check, an object that does not load) is named with the last thing said of it.
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath "${1:-build}"); runs=${2:-7}
[ $# -gt 2 ] && shift 2 || set -- naive_o1:512 naive_o3:512 loop_order:512 loop_order:1024 cache_blocks:512 cache_blocks:1024 packed:512 packed:1024 packed_avx2:512 packed_avx2:1024 packed_avx512:512 packed_avx512:1024 threads:512 threads:1024 avx512_bf16:512
work=$(mktemp -d); watcher=
trap '[ -n "$watcher" ] && kill "$watcher" 2>/dev/null; rm -rf "$work"' EXIT
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
for case in "$@"; do
  rung=${case%:*}; n=${case#*:}; file=$work/$rung.cpp; log=$work/log
  # A .cu stays one: the suffix is the source's, not the rung's.
  if ! "$build/bin/ridgepoint" edit "$rung" --to "$file" >"$log" 2>&1; then
    echo "$rung: $(tail -n 1 "$log")"
    continue
  fi
  "$build/bin/ridgepoint" edit "$rung" --to "$file" --watch --set n="$n" >"$log" 2>&1 &
  watcher=$!
  for _ in $(seq 600); do
    { grep -q '^watching' "$log" || ! kill -0 "$watcher" 2>/dev/null; } && break
    sleep 0.1
  done
  if ! grep -q '^watching' "$log"; then
    echo "$rung n = $n: its first run has not ended well within 60 s: $(tail -n 1 "$log")"
    kill "$watcher" 2>/dev/null; wait "$watcher" 2>/dev/null || true; watcher=
    continue
  fi
  sleep 0.5
  for i in $(seq "$runs"); do
    echo "// save $i" >>"$file"
    for _ in $(seq 300); do [ "$(grep -c 'first verified number' "$log")" -ge "$i" ] && break; sleep 0.1; done
    if [ "$(grep -c 'first verified number' "$log")" -lt "$i" ]; then
      echo "$rung n = $n: save $i has no verified number after 30 s: $(tail -n 1 "$log")"
      break
    fi
  done
  kill "$watcher" 2>/dev/null; wait "$watcher" 2>/dev/null || true; watcher=
  grep 'first verified number' "$log" | sed 's/compiled \([0-9.]*\) s, loaded \([0-9.]*\) s, first verified number \([0-9.]*\) s.*/\1 \2 \3/' |
    sort -n -k3 | awk -v r="$rung" -v n="$n" '{c[NR]=$1; l[NR]=$2; t[NR]=$3} END {if (NR == 0) exit; m=int((NR+1)/2);
      printf "%-18s n = %-5s first verified number %.2f s (compile %.2f, load %.2f; best %.2f, worst %.2f, %d saves)\n", r, n, t[m], c[m], l[m], t[1], t[NR], NR}'
done
