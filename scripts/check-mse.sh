#!/usr/bin/env bash
# Plays films in a Chromium by Media Source Extensions: the zoo, a day with a gap, and what grows, with how far the picture
# is behind; and sees what a recording costs that grows, and comes to: scripts/check-mse.sh [--seconds N] [FOLDER]
#
# Prints what was seen, and exits with 1 where something is wrong, which it says. Takes five minutes after the build; N is for
# how long a recording grows unwatched, 60 where nothing is said. FOLDER is where it works, and has 1 GiB free.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

seconds=60
if [[ ${1:-} == --seconds && ${2:-} =~ ^[1-9][0-9]*$ ]]; then
  seconds=$2
  shift 2
fi
if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
  echo "usage: scripts/check-mse.sh [--seconds N] [FOLDER]" >&2
  exit 64
fi
need_swift libssl-dev libsqlite3-dev openssl ffmpeg python3 chromium chromium-driver
footage=$(built_program)

work=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/footage-check-XXXXXX")
trap 'rm -rf "$work"' EXIT
scripts/make-zoo.sh .build/zoo
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >/dev/null 2>&1
python3 scripts/lib/check_mse.py "$footage" .build/zoo "$work" "$seconds"
