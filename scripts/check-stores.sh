#!/usr/bin/env bash
# Tries the client of object stores at real engines: scripts/check-stores.sh [pip|debian|ceph]…
#
# pip is OpenStack Swift by pip, debian is Debian's own, which is older, and ceph is Debian's Ceph with radosgw: all of them
# unless some are named. An engine that cannot be had is passed over with a word.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

engines=("$@")
[ ${#engines[@]} -gt 0 ] || engines=(pip debian ceph)
for engine in "${engines[@]}"; do
  case $engine in
    pip | debian | ceph) ;;
    *) echo "usage: scripts/check-stores.sh [pip|debian|ceph]…" >&2; exit 64 ;;
  esac
done

need_swift libssl-dev libsqlite3-dev curl
export FOOTAGE_STRICT=1
products=$(build_for_tests .build/tests --build-tests)
mkdir -p .build
work=$(mktemp -d -p "$PWD/.build" stores.XXXXXX)
running=
# Called by the trap.
# shellcheck disable=SC2317
finish() {
  [ -z "$running" ] || "$running" stop "$work/store" || true
  rm -rf "$work"
}
trap finish EXIT

failed=0
for engine in "${engines[@]}"; do
  script=scripts/lib/object_store.sh
  [ "$engine" != ceph ] || script=scripts/lib/ceph_store.sh
  rm -rf "$work/store"
  status=0
  address=$(SWIFT=$engine "$script" start "$work/store") || status=$?
  if [ "$status" = 69 ]; then
    echo "$engine: not tested" >&2
    continue
  fi
  [ "$status" = 0 ] || exit "$status"
  running=$script
  echo "== $engine"
  FOOTAGE_TEST_STORE=$address FOOTAGE_TEST_STORE_KEY=$work/store/key \
    scripts/tools/run_tests.py "$products" .build/tests/log --filter '^FootageStoreTests\.EngineTests' || failed=1
  "$script" stop "$work/store"
  running=
done
exit "$failed"
