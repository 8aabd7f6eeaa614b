#!/usr/bin/env bash
# What deleting a thousand recordings to make room does to a viewer's probe: bench-retention.sh [COUNT] [MEBIBYTES]
#
# Makes COUNT recordings of so many MiB, and has an optimised server delete them while one connection asks for two bytes of
# another one over and over. Prints how long a probe took at most before, and while they were deleted. Exits with 1 where that is
# more than 20 ms longer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

need_swift libssl-dev libsqlite3-dev openssl ffmpeg python3
work=$(mktemp -d "${TMPDIR:-/tmp}/footage-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT
footage=$(built_program)
scripts/gen-certs.sh --out "$work/certs" --name localhost >/dev/null
ffmpeg -nostdin -v error -f lavfi -i color=c=gray:s=64x64:r=5:d=2 -c:v libx264 -pix_fmt yuv420p "$work/clip.mp4"
scripts/lib/bench_retention.py "$footage" "$work" "${1:-1000}" "${2:-4}"
