#!/usr/bin/env bash
# Measures what serving costs beside Debian's nginx, in turn, on one machine: scripts/bench.sh [--quick] [--rounds N]
#
# Prints a Markdown table of ratios on standard output, and one of what Footage costs as the work grows; the rest goes to
# standard error. Takes about eight minutes after the build, with --quick (one short round, to see that it works) one.
# Everything it makes lies in a folder of its own below $TMPDIR, else /tmp, which should be on a disk (not tmpfs) with 2 GiB
# free, and is removed; servers listen on 127.0.0.1 alone. What taking recordings in costs is measured by
# scripts/bench-ingest.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

usage() {
  echo "usage: scripts/bench.sh [--quick] [--rounds N]   (N from 1 to 20; 3 where nothing is said)" >&2
  exit 64
}

quick=no
rounds=
while (($# > 0)); do
  case $1 in
  --quick) quick=yes ;;
  --rounds)
    [[ ${2:-} =~ ^([1-9]|1[0-9]|20)$ ]] || usage
    rounds=$2
    shift
    ;;
  *) usage ;;
  esac
  shift
done
if [ -z "$rounds" ]; then
  if [ $quick = yes ]; then rounds=1; else rounds=3; fi
fi

nginx=$(PATH=$PATH:/usr/sbin command -v nginx || true)
need_swift nginx-light wrk curl openssl python3 ffmpeg libssl-dev libsqlite3-dev
if [ -z "$nginx" ]; then
  nginx=/usr/sbin/nginx
  echo "nginx is new here, and Debian starts it on port 80: 'systemctl disable --now nginx' ends that" >&2
fi
footage=$(built_program)

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-bench-XXXXXX")
child=
finish() {
  trap '' INT TERM HUP
  # The Python program ends the servers and clients that it has started.
  if [ -n "$child" ]; then
    kill "$child" 2>/dev/null || true
    wait "$child" || true
  fi
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# In the background, so that a signal is heeded while it runs.
run() {
  "$@" </dev/null &
  child=$!
  local status=0
  wait "$child" || status=$?
  child=
  return "$status"
}

echo "making certificates and a recording of 256 MiB" >&2
# Protects a key that is thrown away in a few minutes.
export FOOTAGE_P12_PASSPHRASE=benchmark
run scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 --client bench >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; exit 1; }
openssl pkcs12 -in "$work/certs/clients/bench.p12" -passin env:FOOTAGE_P12_PASSPHRASE -clcerts -nodes \
  -out "$work/client.pem" 2>/dev/null
unset FOOTAGE_P12_PASSPHRASE

mkdir -p "$work/www/recordings"
# Noise, since a picture that compresses well would take long to fill the clip.
run ffmpeg -v error -f lavfi -i 'testsrc2=size=1280x720:rate=25,noise=alls=60:allf=t' -t 4 -c:v libx264 -preset ultrafast \
  -b:v 16M -maxrate 16M -bufsize 16M -g 50 -pix_fmt yuv420p "$work/clip.mp4"
loops=$(((256 << 20) / $(stat -c %s "$work/clip.mp4")))
run ffmpeg -v error -stream_loop "$loops" -i "$work/clip.mp4" -c copy -movflags +faststart "$work/www/recordings/bench.mp4"
rm "$work/clip.mp4"

# All clients offer one suite only, so both servers encrypt alike; the servers themselves do not read this file.
cat >"$work/clients.cnf" <<'CONF'
openssl_conf = libraries
[libraries]
ssl_conf = contexts
[contexts]
system_default = clients
[clients]
MinProtocol = TLSv1.3
Ciphersuites = TLS_AES_128_GCM_SHA256
CONF
for part in serve growth; do
  run env OPENSSL_CONF="$work/clients.cnf" python3 "scripts/lib/bench_$part.py" "$nginx" "$footage" "$work" "$rounds" "$quick"
done
echo "what taking recordings in costs: scripts/bench-ingest.sh" >&2
