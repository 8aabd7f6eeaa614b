#!/usr/bin/env bash
# Runs all tests several times in a row, while other processes keep every core busy: scripts/check-busy.sh [ROUNDS=5]. A test that
# fails here depends on a quiet machine: it waits too short a time, or compares times.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

rounds=${1:-5}
[[ $rounds =~ ^[1-9][0-9]*$ ]] || { echo "usage: scripts/check-busy.sh [ROUNDS]" >&2; exit 64; }
export FOOTAGE_STRICT=1
# A release compares times, which this makes longer.
unset FOOTAGE_RELEASE
# What is tried is what is built here.
unset FOOTAGE_BINARY
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
  scripts/tools/run_tests.py "$products" .build/tests/log || failed=$((failed + 1))
done
echo "check-busy: $failed of $rounds rounds failed" >&2
[ "$failed" = 0 ]
