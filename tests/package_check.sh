#!/usr/bin/env bash
# package_check.sh START [--window]: what tests/package asks of an installed Ridgepoint, on the machine that it is to run on.
# START is its first program. Needs bash and coreutils alone. Prints what it measures.
set -euo pipefail
start=$1
fail() { echo "FAILED: $*"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
seconds() { # since $1, as of date +%s%N
  local tenths=$((($(date +%s%N) - $1) / 100000000))
  echo "$((tenths / 10)).$((tenths % 10))"
}

# In the window: from the start until it stands there, twice.
window() {
  command -v xdotool >/dev/null || fail "no xdotool"
  for time in first second; do
    local begin=$(date +%s%N) pid
    "$start" 2>err >/dev/null &
    pid=$!
    until xdotool search --onlyvisible --name Ridgepoint >/dev/null 2>&1; do
      kill -0 $pid 2>/dev/null || fail "no window: $(cat err)"
      sleep 0.05
    done
    echo "the window's $time start: $(seconds "$begin") s"
    # A window that stands there may be empty: this one's frame is a file.
    "$start" shot "lab" frame.png --lab gemm >said 2>&1 && [ -s frame.png ] || fail "no picture: $(cat said)"
    kill $pid
    wait $pid 2>/dev/null || true
  done
  if MESA_GL_VERSION_OVERRIDE=2.1 "$start" shot lab frame.png >said 2>&1; then fail "a window with OpenGL 2.1"; fi
  [ "$(wc -l <said)" = 1 ] && grep -q 'OpenGL 3.2 could not be had' said || fail "OpenGL 2.1: $(cat said)"
  cat said
}
if [ "${2:-}" = --window ]; then
  window
  exit
fi

begin=${RIDGE_INSTALL_BEGAN:-$(date +%s%N)}
"$start" run gemm --set n=512 --rungs loop_order --mode live --json >run.json || fail "the first run"
grep -q '"status": *"ok"\|"passed": *true' run.json || fail "not verified: $(cat run.json)"
took=$(seconds "$begin")
echo "from install to the first verified number: $took s"
[ "${took%.*}" -lt 30 ] || fail "the first number took $took s"

labs=$("$start" list | awk -F: 'NF > 1 && $1 !~ /[ \047]/ { print $1 }')
[ "$(wc -w <<<"$labs")" -ge 11 ] || fail "labs: $labs"
for lab in $labs; do
  begin=$(date +%s%N)
  rung=$("$start" list "$lab" | awk '/runs here/ && $1 ~ /[.]cpu[.]/ { print $1; exit }')
  [ -n "$rung" ] || fail "no rung of $lab runs here"
  "$start" run "$lab" --rungs "$rung" --mode live --limit 2 >said 2>&1 || fail "$rung live: $(tail -3 said)"
  "$start" handout "$lab" --out "$lab.html" >said 2>&1 || fail "the lesson of $lab: $(cat said)"
  [ "$(wc -c <"$lab.html")" -gt 20000 ] || fail "the lesson of $lab is empty"
  echo "$lab: $rung ran live, lesson opened, in $(seconds "$begin") s"
done
gpu=$("$start" list --all | grep -c '[.]cuda[.].*runs here' || true)
if [ "$gpu" != 0 ]; then
  "$start" run gemm --set n=1024 --rungs cuda.naive,register_tile_1d --mode live >said 2>&1 || fail "GPU: $(tail -5 said)"
  echo "$gpu GPU rungs run here:" && grep cuda said || true
fi

"$start" edit gemm.cpu.loop_order --to mine.cpp >said 2>&1 || fail "edit: $(cat said)"
if [ ! -x /usr/bin/c++ ]; then
  if "$start" run gemm --edit mine.cpp --rungs loop_order --set n=64 --mode live >said 2>&1; then fail "compiled by what?"; fi
  grep -o 'no C[+][+] compiler is here.*' said || fail "Your turn does not say which compiler it needs: $(cat said)"
fi
"$start" list --all | grep -o 'not here: needs lib.*' | sort | uniq -c
# No display: one sentence, and the terminal goes on.
if DISPLAY=:77 "$start" shot lab frame.png >said 2>&1; then fail "a picture without a display"; fi
[ "$(wc -l <said)" = 1 ] || fail "no single sentence: $(cat said)"
cat said
