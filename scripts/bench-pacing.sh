#!/usr/bin/env bash
# Measures what --max-rate does to downloads and probes, with curl over TLS on the loopback: scripts/bench-pacing.sh
#
# Prints a table, and exits with 1 where a rate is missed by more than a twentieth over ten seconds. Takes about two minutes
# after the build. Everything it makes lies in a folder of its own below $TMPDIR, else /tmp, and is removed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

if [ $# -gt 0 ]; then
  echo "usage: scripts/bench-pacing.sh" >&2
  exit 64
fi
need_swift libssl-dev libsqlite3-dev openssl curl ffmpeg python3
footage=$(built_program)

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
FOOTAGE_P12_PASSPHRASE=bench scripts/gen-certs.sh --out "$work/certs" --client many --client one >/dev/null 2>&1
mkdir "$work/recordings"
ffmpeg -v error -f lavfi -i testsrc2=size=1280x720:rate=30 -t 60 -c:v libx264 -preset ultrafast -b:v 20M -pix_fmt yuv420p \
  "$work/recordings/film.mp4"
python3 scripts/lib/bench_pacing.py "$footage" "$work"
