#!/usr/bin/env bash
# Builds Footage and serves ./recordings on port 8443: the whole way from a fresh clone to a playing video.
# Options are handed to `footage serve`; see `footage serve --help`.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

# Everything that is missing is asked for before the build, which takes a while.
packages=(libssl-dev libsqlite3-dev openssl)
mkdir -p recordings
sample=
if [ -z "$(find recordings -iname '*.mp4' -o -iname '*.mov' -o -iname '*.m4v' | head -n 1)" ]; then
  sample=recordings/sample.mp4
  command -v ffmpeg >/dev/null || packages+=(ffmpeg fonts-dejavu-core)
fi
need_swift "${packages[@]}"

name_commit
footage=$(built_program)

if [ ! -e certs/server.key ]; then
  names=(--name "$(hostname)" --name localhost)
  addresses=(--ip 127.0.0.1 --ip ::1)
  for address in $(hostname -I 2>/dev/null || true); do
    case $address in fe80:*) ;; *) addresses+=(--ip "$address") ;; esac
  done
  scripts/gen-certs.sh "${names[@]}" "${addresses[@]}" >&2
fi

if [ -n "$sample" ]; then scripts/make-sample.sh "$sample" >&2; fi

exec "$footage" serve "$@"
