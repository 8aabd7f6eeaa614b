#!/usr/bin/env bash
# Uses the robot's page in a Chromium as people do, with a week of three cameras behind it, and measures what they wait for:
# scripts/check-page.sh [--days N] [--minutes N] [FOLDER]
#
# Prints each figure with its goal, and exits with 1 where one is missed. Takes about a quarter of an hour after the build, and
# 2 GiB in FOLDER. A camera has 1,440 recordings on each of so many days, 7 where nothing is said and 3 at least; so many minutes are played,
# 10 where nothing is said, at least.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

days=7 minutes=10
while [[ ${1:-} =~ ^--(days|minutes)$ && ${2:-} =~ ^[1-9][0-9]?$ ]]; do
  declare "${1#--}=$2"
  shift 2
done
if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: scripts/check-page.sh [--days N] [--minutes N] [FOLDER]" >&2
  exit 64
fi
need_swift libssl-dev libsqlite3-dev openssl ffmpeg python3 chromium chromium-driver fonts-dejavu-core
footage=$(built_program)

work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/footage-check-XXXXXX")
trap 'rm -rf "$work"' EXIT
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
python3 scripts/lib/check_page.py "$footage" "$work" "$((days < 3 ? 3 : days))" "$((minutes < 10 ? 10 : minutes))"
