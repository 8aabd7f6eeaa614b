#!/usr/bin/env bash
# Kills a robot that brings recordings into a store, and the store, by -9 and at any moment: check-store-kills.sh [ROUNDS=200] [SEED]
#
# The store is OpenStack Swift on 127.0.0.1 (scripts/lib/object_store.sh). Retention removes here what is stored. After each
# round every recording is here or in the store, whole, by its SHA-256; at the end, after one more start, they are read all
# again, and the store has nothing besides them. Needs about five seconds a round, and a disk with 4 GiB free at $TMPDIR
# or /tmp, with attributes of users (xattr).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

rounds=${1:-200}
seed=${2:-$RANDOM$RANDOM}
if [ $# -gt 2 ] || ! [[ $rounds =~ ^[0-9]+$ && $seed =~ ^[0-9]+$ ]]; then
  echo "usage: scripts/check-store-kills.sh [ROUNDS=200] [SEED]" >&2
  exit 64
fi
need_swift libssl-dev libsqlite3-dev openssl curl ffmpeg python3
swift build -c release --product footage >&2

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-kills-XXXXXX")
# Called by the trap.
# shellcheck disable=SC2317
finish() {
  [ ! -e "$work/store/pids" ] || scripts/lib/object_store.sh stop "$work/store" || true
  rm -rf "$work"
}
trap finish EXIT
status=0
scripts/lib/object_store.sh start "$work/store" >/dev/null || status=$?
[ "$status" != 69 ] || skip "no store can be had"
[ "$status" = 0 ] || exit "$status"
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
python3 scripts/lib/store_kills.py "$(swift build -c release --show-bin-path)/footage" "$work" "$rounds" "$seed"
