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
. scripts/lib/store_work.sh

rounds=${1:-200}
seed=${2:-$RANDOM$RANDOM}
if [ $# -gt 2 ] || ! [[ $rounds =~ ^[0-9]+$ && $seed =~ ^[0-9]+$ ]]; then
  echo "usage: scripts/check-store-kills.sh [ROUNDS=200] [SEED]" >&2
  exit 64
fi
need_swift libssl-dev libsqlite3-dev openssl curl ffmpeg python3
footage=$(built_program)

begin_store_work "${TMPDIR:-/tmp}" kills 127.0.0.1
tool check.store_kills "$footage" "$work" "$rounds" "$seed"
