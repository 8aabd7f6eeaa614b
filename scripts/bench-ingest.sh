#!/usr/bin/env bash
# Measures what it costs to take recordings in, on files that it makes and removes: scripts/bench-ingest.sh [FOLDER]
#
# FOLDER, for the files, should lie on the disk that counts; without it they go below $TMPDIR, else /tmp. Needs 3 GiB there.
# Prints a table with each figure and its bound, and exits with 1 when a bound is exceeded.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: scripts/bench-ingest.sh [FOLDER]" >&2
  exit 64
fi
# qt-faststart comes with ffmpeg.
need_swift libssl-dev libsqlite3-dev openssl ffmpeg python3
footage=$(built_program)

work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/footage-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
python3 scripts/lib/bench_ingest.py "$footage" "$work"
