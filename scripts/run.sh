#!/usr/bin/env bash
# Builds Footage and serves ./recordings on port 8443: the whole way from a fresh clone to a playing video.
# Options are handed to `footage serve`; see `footage serve --help`.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

need_swift
need_packages libssl-dev libsqlite3-dev openssl

swift build -c release --product footage
footage=$(swift build -c release --show-bin-path)/footage

if [ ! -e certs/server.key ]; then
  names=(--name "$(hostname)" --name localhost)
  addresses=(--ip 127.0.0.1 --ip ::1)
  for address in $(hostname -I 2>/dev/null || true); do
    case $address in fe80:*) ;; *) addresses+=(--ip "$address") ;; esac
  done
  scripts/gen-certs.sh "${names[@]}" "${addresses[@]}" >&2
fi

mkdir -p recordings
if [ -z "$(find recordings -iname '*.mp4' -o -iname '*.mov' -o -iname '*.m4v' | head -n 1)" ]; then
  scripts/make-sample.sh recordings/sample.mp4 >&2
fi

exec "$footage" serve "$@"
