# Sourced by tests/ssh_test.sh and tests/slurm_test.sh: a grid of 16 points, made-up workers, and what a folder has to hold.
work=$(mktemp -d)

needs() {
  local program
  for program in "$@"; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || { echo "skipped: no $program here (cmake/packages.txt: cluster)"; exit 77; }
  done
}

make_grid() {
  cat >"$work/grid.json" <<'JSON'
{"grids": [{"lab": "gemm", "rungs": ["naive_o3", "loop_order"], "set": {"n": [16, 32, "48..49"]}, "repeats": 2, "mode": "live"}]}
JSON
}

# make_worker SECONDS: $work/worker, whose points take so long, on figures of its own.
make_worker() {
  cat >"$work/worker" <<WORKER
#!/bin/sh
exec python3 "$RIDGE_SOURCE/tests/sweep_worker.py" '{"seconds": $1}'
WORKER
  chmod +x "$work/worker"
}

# complete FOLDER: how many points it holds; fails where one is there twice or half.
complete() {
  python3 - "$1" <<'PYTHON'
import glob, json, sys
keys, times, lines = [], set(), 0
for path in glob.glob(sys.argv[1] + "/*.jsonl"):
    asked = {}
    for text in open(path):
        line = json.loads(text)
        if "point" in line:
            asked[line["id"]] = line["point"]
        if line["type"] == "samples":
            lines += 1
            times.update(sample["t_ns"] for sample in line["samples"])
        if line["type"] == "done" and line["request"] in asked:
            keys.append(asked.pop(line["request"]))
    assert not asked, f"{path}: {asked} has no end"
assert len(keys) == len(set(keys)) == lines and len(times) == 3 * lines, "a point is there twice, or not whole"
print(len(keys))
PYTHON
}

fail() { echo "$1"; exit 1; }
