#!/usr/bin/env bash
# Measures what the app's side costs, beside curl and nginx, on one machine: scripts/bench-client.sh [--rounds N]
#
# Prints two Markdown tables on standard output, of the loopback, and of a robot that is far away (two network namespaces
# and a link between them; left out with a word where this is not root, or the kernel makes none). The rest goes to standard
# error. Takes about five minutes after the build. Everything it makes lies in a folder of its own below $TMPDIR, else /tmp,
# which should be on a disk (not tmpfs) with 4 GiB free, and is removed; servers listen on 127.0.0.1 and in a namespace alone.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

rounds=7
if [ $# -gt 0 ]; then
  if [ "$1" != --rounds ] || ! [[ ${2:-} =~ ^([1-9]|1[0-9]|20)$ ]] || [ $# -gt 2 ]; then
    echo "usage: scripts/bench-client.sh [--rounds N]   (N from 1 to 20; 7 where nothing is said)" >&2
    exit 64
  fi
  rounds=$2
fi

need_swift nginx-light curl openssl python3 iproute2 ffmpeg libssl-dev libsqlite3-dev
nginx=$(PATH=$PATH:/usr/sbin command -v nginx)
footage=$(built_program)

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-bench-XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "making certificates and a recording of 1 GiB" >&2
scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >&2
mkdir -p "$work/recordings"
# Noise, since a picture that compresses well would take long to fill the clip.
ffmpeg -v error -f lavfi -i 'testsrc2=size=1280x720:rate=25,noise=alls=60:allf=t' -t 8 -c:v libx264 -preset ultrafast \
  -b:v 16M -maxrate 16M -bufsize 16M -g 50 -pix_fmt yuv420p "$work/clip.mp4" </dev/null
loops=$(((1 << 30) / $(stat -c %s "$work/clip.mp4")))
ffmpeg -v error -stream_loop "$loops" -i "$work/clip.mp4" -c copy -movflags +faststart "$work/recordings/bench.mp4" </dev/null
rm "$work/clip.mp4"

python3 scripts/lib/bench_client.py "$nginx" "$footage" "$work" "$rounds"
python3 scripts/lib/bench_far.py "$footage" "$work" "$rounds"
