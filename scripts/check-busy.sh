#!/usr/bin/env bash
# Runs the tests that scripts/test.sh has built some times in a row, beside processes that keep each core busy: scripts/check-busy.sh
# [ROUNDS=5]. A test that fails so waits for something that a busy machine does later, or compares times that it should not.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

rounds=${1:-5}
[[ $rounds =~ ^[1-9][0-9]*$ ]] || { echo "usage: scripts/check-busy.sh [ROUNDS]" >&2; exit 64; }
export FOOTAGE_STRICT=1
products=$(build_for_tests .build/tests --build-tests)
burners=()
end() { [ ${#burners[@]} = 0 ] || kill "${burners[@]}"; }
trap end EXIT
for ((core = 0; core < $(nproc); core++)); do
  sh -c 'while :; do :; done' &
  burners+=($!)
done
failed=0
for ((round = 1; round <= rounds; round++)); do
  echo "== round $round of $rounds" >&2
  scripts/lib/run_tests.py "$products" .build/tests/log || failed=$((failed + 1))
done
echo "check-busy: $failed of $rounds rounds failed" >&2
[ "$failed" = 0 ]
