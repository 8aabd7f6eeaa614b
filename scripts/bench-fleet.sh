#!/usr/bin/env bash
# How a server of many robots does with a large index: bench-fleet.sh [COUNT]
#
# Fills an index with COUNT recordings (1,000,000) of 200 robots through its own insertion, and starts an optimised server on it, before
# a store that does not answer. Prints how long that takes until the first page is there, how long pages take of all robots, of a robot,
# of a camera and in the middle of the list, and the memory that the server has had at most. Exits with 1 where a page takes more than
# 10 ms (median), the start more than 1 s, or the memory more than 250 MB.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

need_swift libssl-dev libsqlite3-dev openssl python3
work=$(mktemp -d "${TMPDIR:-/tmp}/footage-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT
export FOOTAGE_BENCH=1
swift_build -c release --product FleetBenchmark >&2
footage=$(built_program)
mkdir "$work/state"
scripts/gen-certs.sh --out "$work/certs" --name localhost >/dev/null
echo "filling the index" >&2
began=$(date +%s)
"$(dirname "$footage")/FleetBenchmark" "$work/state/fleet.sqlite" "$work/robots" "${1:-1000000}"
echo "filled in $(($(date +%s) - began)) s, $(du -m "$work/state/fleet.sqlite" | cut -f1) MB on the disk"
printf 'nobody\nnothing\n' >"$work/key"
chmod 600 "$work/key"
scripts/lib/bench_fleet.py "$footage" "$work"
