#!/usr/bin/env bash
# A sweep as a Slurm array: slurmctld, slurmd and munged of this test alone, on this machine, with a folder and ports of their
# own. A task is killed in the middle, the array is submitted again.
set -euo pipefail
. "$RIDGE_SOURCE/tests/cluster.sh"
export PATH=$PATH:/usr/sbin
needs slurmctld slurmd munged sbatch python3
[ "$(id -u)" = 0 ] || { echo "skipped: a slurmd needs root"; exit 77; }
end() {
  scancel --state=RUNNING --user=root 2>/dev/null || true
  for pid in "$work"/slurmd.pid "$work"/slurmctld.pid "$work"/munge/pid; do
    [ -s "$pid" ] && kill "$(cat "$pid")" || true
  done
  sleep 1
  rm -rf "$work"
}
trap end EXIT
mkdir "$work/munge" "$work/state" "$work/spool"
chmod 755 "$work" && chmod 700 "$work/munge"
head -c 64 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
  --log-file="$work/munge/log" --seed-file="$work/munge/seed"
node=$(hostname -s) port=$((20000 + $$ % 10000))
cat >"$work/slurm.conf" <<CONFIG
ClusterName=ridgepoint
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthInfo=socket=$work/munge/socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES State=UP
CONFIG
export SLURM_CONF=$work/slurm.conf
slurmctld && slurmd
for _ in $(seq 100); do sinfo -h -o %t 2>/dev/null | grep -q idle && break; sleep 0.2; done
sinfo -h -o %t | grep -q idle || { cat "$work"/slurm*.log; fail "no node became idle"; }
make_grid
make_worker 0.3

# The job of docs/cluster.md, but for the worker.
cat >"$work/job.sh" <<JOB
#!/bin/bash
exec "$RIDGE_BIN" sweep "$work/grid.json" --out "$work/out" --share \$SLURM_ARRAY_TASK_ID/\$SLURM_ARRAY_TASK_COUNT \\
  --on "$work/worker"
JOB
submit() { sbatch --parsable --array=1-2 --output="$work/log-%a" "$@" "$work/job.sh"; }
job=$(submit)
for _ in $(seq 300); do [ "$(cat "$work"/out/*.jsonl 2>/dev/null | grep -c '"stats"')" -ge 2 ] && break; sleep 0.1; done
scancel --signal=KILL --full "${job}_1"
while [ -n "$(squeue -h -j "$job" 2>/dev/null)" ]; do sleep 0.3; done
begun=$(complete "$work/out")
[ "$begun" -ge 2 ] && [ "$begun" -lt 16 ] || { cat "$work"/log-*; fail "$begun points after a task was killed"; }
submit --wait >"$work/said" || { cat "$work"/log-*; fail "the array ended with an error"; }
[ "$(complete "$work/out")" = 16 ] || fail "not each point once"
echo "16 points by an array of two, $begun of them before a task was killed"
