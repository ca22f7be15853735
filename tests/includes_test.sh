#!/usr/bin/env bash
# Who may include whom: the table "Rooms" of docs/architecture.md, a line per room. A room may always include itself.
set -euo pipefail
cd "$RIDGE_SOURCE"
failed=0 seen=0
# may ROOM PATTERN: of this project's rooms, ROOM includes only those that match.
may() {
  [ -d "$1" ] || { echo "no folder $1: this test and docs/architecture.md are out of date"; exit 1; }
  local lines bad
  lines=$(grep -rnE '^ *# *include "(app|assets|common|kernels|labs|tests|worker)/' "$1" \
    --include='*.cpp' --include='*.h' --include='*.cu' --include='*.cuh' || true)
  seen=$((seen + $(grep -c . <<<"$lines" || true)))
  bad=$(grep -vE "include \"($1${2:+|$2})/" <<<"$lines" | grep . || true)
  if [ -n "$bad" ]; then
    echo "$1 may include ${2:-nothing but itself}:"; echo "$bad"; failed=1
  fi
}
may common/core             ''
may common/record           'common/(core|stats)'
may common/stats            'common/(core|record)'
# The measuring side.
may common/harness/kernel   'common/(core|record)'
may common/harness/quality  'common/(core|record|harness/kernel)'  # kernel: for DType
may common/harness/measure  'common/(core|record|stats|harness/kernel|harness/quality)'
may common/harness/data     'common/core'
may worker                  'common/(core|record|stats|harness)'
may kernels/runtime         'common/(core|record|stats|harness)'
# A family includes no other family: what two of them share lies in kernels/runtime.
for family in kernels/*/; do
  family=${family%/}
  [ "$family" = kernels/runtime ] || may "$family" 'common/(core|record|stats|harness)|kernels/runtime'
done
# The showing side.
may common/view/chart       'common/(core|record|stats)'
may common/view/diagram     'common/(core|record|stats|view/chart)'
may common/view/figure      'common/(core|record|stats)'
may common/view/report      'common/(core|record|stats|view/chart)'
may labs                    'common/(core|record|stats)'
showing='common/(core|record|stats|view)'
may app/session             "$showing"
may app/study               "$showing|labs"
may app/query               "$showing|labs|app/(session|study)"
may app/history             "$showing|labs|app/(session|query)"
may app/sweep               "$showing|labs|app/(session|query|history)"
may app/window              "$showing|labs|app/(session|study|query|history|platform)"
may app/platform            'common/core|app/window/shell'
may app/cli                 "$showing|labs|app/(session|study|query|history|sweep|window)"
[ "$seen" -gt 0 ] || { echo "no include found: the test looks in the wrong place"; exit 1; }
echo "$seen includes looked at"
exit $failed
