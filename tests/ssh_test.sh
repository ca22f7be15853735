#!/usr/bin/env bash
# A sweep by a worker behind ssh: an sshd of this test alone, on this machine, at a port and with keys of its own.
set -euo pipefail
. "$RIDGE_SOURCE/tests/cluster.sh"
needs sshd ssh ssh-keygen python3
sshd=$(PATH=$PATH:/usr/sbin command -v sshd)
[ "$(id -u)" = 0 ] || { echo "skipped: an sshd of this test needs root"; exit 77; }
end() {
  [ -s "$work/pid" ] && kill "$(cat "$work/pid")" || true
  rm -rf "$work"
}
trap end EXIT
port=$((20000 + $$ % 10000))
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$work/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
cp "$work/key.pub" "$work/authorized"
cat >"$work/sshd_config" <<CONFIG
Port $port
ListenAddress 127.0.0.1
HostKey $work/host
PidFile $work/pid
AuthorizedKeysFile $work/authorized
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
CONFIG
"$sshd" -f "$work/sshd_config" -E "$work/log"
to_host="ssh -T -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -i $work/key -p $port 127.0.0.1"
$to_host true || { cat "$work/log"; fail "this machine does not let its own sshd log in"; }
make_grid
make_worker 0.2

# Two workers behind ssh; one is killed on the far side.
"$RIDGE_BIN" sweep "$work/grid.json" --out "$work/out" --workers 2 --on "$to_host $work/worker" >"$work/said" 2>&1 &
sweep=$!
for _ in $(seq 300); do [ "$(cat "$work"/out/*.jsonl 2>/dev/null | grep -c '"stats"')" -ge 3 ] && break; sleep 0.1; done
far=$(pgrep -f "sweep_worker.py .*seconds" | while read -r pid; do
  [ "$(tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -c "^SSH_CONNECTION=127.0.0.1 .* $port$")" = 1 ] && echo "$pid" || true
done | head -1 || true)
[ -n "$far" ] && kill -9 "$far" || fail "no worker runs behind ssh"
wait "$sweep" || { cat "$work/said"; fail "the sweep did not go on"; }
[ "$(complete "$work/out")" = 16 ] || fail "not each point once"

# A worker of this build, over ssh.
cat >"$work/real.json" <<'JSON'
{"grids": [{"lab": "gemm", "rungs": ["naive_o3"], "set": {"n": 16}, "mode": "live", "limit_s": 0.002}]}
JSON
"$RIDGE_BIN" sweep "$work/real.json" --out "$work/real" --on "$to_host $RIDGE_WORKER --stdio" || fail "no real worker over ssh"

# Nobody listens there.
code=0
"$RIDGE_BIN" sweep "$work/grid.json" --out "$work/none" --on "ssh -T -o BatchMode=yes -p 1 127.0.0.1 ridgepoint-worker --stdio" 2>"$work/said" || code=$?
[ "$code" = 70 ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -q "Connection refused" "$work/said" ||
  { cat "$work/said"; fail "a host that refuses: exit code $code"; }
