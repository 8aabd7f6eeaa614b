#!/usr/bin/env bash
# Measures what a store costs: bringing recordings there beside rclone, kills, and reading them back: bench-offload.sh [FOLDER]
#
# Prints a table with each figure and its goal, and exits with 1 when a goal is missed. Takes about eight minutes after the
# build. FOLDER, for what it makes and removes, should lie on a disk with 12 GiB free and with attributes of users (xattr);
# without it that is $TMPDIR, else /tmp. The store is OpenStack Swift on 127.0.0.1 (scripts/lib/object_store.sh), and for what
# a far store costs in a network namespace, with haproxy for its TLS; that is left out with a word where this is not root, or
# the kernel makes none.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh
. scripts/lib/store_work.sh

if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: scripts/bench-offload.sh [FOLDER]" >&2
  exit 64
fi
need_swift libssl-dev libsqlite3-dev openssl curl ffmpeg python3 iproute2
need_packages rclone || echo "there is no rclone here: what an upload costs stands beside nothing" >&2
need_packages haproxy || echo "there is no haproxy here: a far store is left out" >&2
footage=$(built_program)

begin_store_work "${1:-${TMPDIR:-/tmp}}" bench 127.0.0.1 10.8.0.2
python3 scripts/lib/bench_offload.py "$footage" "$work"
