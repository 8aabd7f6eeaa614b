#!/usr/bin/env bash
# Measures what moments cost: films, clips, playlists and days, beside ffmpeg and a plain range: scripts/bench-views.sh [FOLDER]
#
# Prints a table with each figure and its goal, and exits with 1 when a goal is missed. Takes about four minutes after the
# build. FOLDER, for what it makes and removes, should lie on a disk with 6 GiB free; without it that is $TMPDIR, else /tmp.
# Servers listen on 127.0.0.1, and in a network namespace for what a far link shows, which is left out with a word where this
# is not root, or the kernel makes none. Shaka packager is a peer where .build/peers/packager is one.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: scripts/bench-views.sh [FOLDER]" >&2
  exit 64
fi
need_swift libssl-dev libsqlite3-dev openssl ffmpeg python3 iproute2
footage=$(built_program)

work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/footage-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
python3 scripts/lib/bench_views.py "$footage" "$work"
