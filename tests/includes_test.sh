#!/usr/bin/env bash
# Who may include whom: the table "Folders" of docs/architecture.md, a line per folder. A folder may
# always include itself.
set -euo pipefail
cd "$RIDGE_SOURCE"
failed=0 seen=0
# may FOLDER PATTERN: of this project's folders, FOLDER includes only those that match.
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
may common/core    ''
may common/kernel  'common/(core|record)'
may common/record  'common/(core|stats)'
may common/stats   'common/(core|record)'
may common/quality 'common/(core|record|kernel)'  # kernel: for DType
may common/measure 'common/(core|kernel|record|stats|quality)'
may common/data    'common/core'
may common/chart   'common/(core|record|stats)'
may common/diagram 'common/(core|record|stats|chart)'
may common/report  'common/(core|record|stats|chart)'
may kernels        'common'
may labs           'common'
may worker         'common'
may app            'common|labs'
[ "$seen" -gt 0 ] || { echo "no include found: the test looks in the wrong place"; exit 1; }
echo "$seen includes looked at"
exit $failed
