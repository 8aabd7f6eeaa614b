#!/usr/bin/env bash
# Measures what a thousand peers cost that stand still, in memory of the process and of the kernel: scripts/bench-stalled.sh
#
# Prints a table, and exits with 1 where a crowd costs more than 150 MiB. Everything it makes lies in a folder of its own below
# $TMPDIR, else /tmp, and is removed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

if [ $# -gt 0 ]; then
  echo "usage: scripts/bench-stalled.sh" >&2
  exit 64
fi
need_swift libssl-dev libsqlite3-dev openssl ffmpeg python3
footage=$(built_program)

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
ffmpeg -v error -f lavfi -i testsrc=size=320x240:rate=10 -t 4 -c:v libx264 -pix_fmt yuv420p -movflags +faststart \
  "$work/clip.mp4"
python3 scripts/lib/bench_stalled.py "$footage" "$work/certs" "$work/clip.mp4" "$work"
