#!/usr/bin/env bash
# Makes what an earlier footage leaves on a disk, with that program itself: a cache with a kept recording, one in part and
# one in two versions, a pairing, and a download that was broken off. What later versions have to read of it is tried
# with what this made of version 0.9.0: Tests/Fixtures/OldState.
set -euo pipefail
shopt -s inherit_errexit
umask 022
export LC_ALL=C
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")

usage() {
  cat <<'USAGE'
Usage: make-old-state.sh FOOTAGE OUT

FOOTAGE is the program that makes the state; OUT is a folder that does not exist yet. Needs ffmpeg, curl and python3.
Exit status: 0 done, 1 failed, 64 wrong usage.
USAGE
}

[[ ${1-} == --help ]] && { usage; exit 0; }
[[ $# == 2 && ! -e $2 ]] || { usage >&2; exit 64; }
footage=$(readlink -f -- "$1")
out=$2

work=$(mktemp -d)
children=()
end() {
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  rm -rf "$work"
}
trap end EXIT

mkdir -p "$work/recordings/front" "$out"/{cache,config,download,served}
record() { # FILE SECONDS RATE
  ffmpeg -nostdin -loglevel error -f lavfi -i "testsrc2=size=128x96:rate=10:duration=$2" -c:v libx264 -b:v "$3" \
    -metadata creation_time=2026-11-20T10:15:30Z -y "$work/recordings/front/$1.mp4"
}
record kept 2 60k
record part 8 80k
record twice 1 60k

"$here/gen-certs.sh" --out "$work/certs" --ip 127.0.0.1 >"$work/certs.log" 2>&1
"$footage" serve --recordings "$work/recordings" --certs "$work/certs" --listen 127.0.0.1:0 --state "$work/state" \
  >"$work/serve.out" 2>"$work/serve.log" &
children+=($!)
until grep -q 127.0.0.1 "$work/serve.out"; do sleep 0.1; done
robot=$(grep -o '127\.0\.0\.1:[0-9]*' "$work/serve.out" | head -1)

# Lets so many bytes of the robot's through, on each connection, and then nothing.
cat >"$work/relay.py" <<'PYTHON'
import asyncio, os, sys
host, port = sys.argv[1].rsplit(":", 1)
limit = sys.argv[2]
async def copy(reader, writer, capped):
    left = int(open(limit).read()) if capped else 1 << 60
    try:
        while data := await reader.read(2000):
            writer.write(data[:left])
            await writer.drain()
            left -= len(data)
            if left <= 0:
                await asyncio.sleep(3600)
        writer.close()
    except OSError:
        writer.close()
async def serve(reader, writer):
    r, w = await asyncio.open_connection(host, int(port))
    await asyncio.gather(copy(reader, w, False), copy(r, writer, True))
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print("127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
PYTHON
echo 1000000000 >"$work/limit"
python3 "$work/relay.py" "$robot" "$work/limit" >"$work/relay.out" 2>"$work/relay.log" &
children+=($!)
until [[ -s $work/relay.out ]]; do sleep 0.1; done
relay=$(<"$work/relay.out")

export XDG_CONFIG_HOME="$work/config"
"$footage" pair "$relay" --pin "$(<"$work/certs/server.pin")" >"$work/pair.log" 2>&1

play() { # NAME
  "$footage" play "$1" --robot "$relay" --cache "$work/cache" --player "curl -sf -o $work/played" 2>>"$work/play.log" \
    >/dev/null
}
cache() { "$footage" cache "$1" --cache "$work/cache" "${@:2}" >>"$work/cache.log"; }

until play front/kept; do sleep 0.5; done
cache keep front/kept
play front/twice
cache keep front/twice
# Another version of the same bytes.
touch -d 2026-11-21T00:00:00Z "$work/recordings/front/twice.mp4"
sleep 3
play front/twice

echo 30000 >"$work/limit"
"$footage" play front/part --robot "$relay" --cache "$work/cache" >"$work/part.out" 2>>"$work/play.log" &
player=$!
sleep 4
kill -INT "$player"
wait "$player" || true
"$footage" fetch front/part --robot "$relay" -o "$work/part.mp4" >"$work/fetch.log" 2>&1 &
fetcher=$!
sleep 4
kill -INT "$fetcher"
wait "$fetcher" || true

for name in kept part twice; do
  "$footage" export --recordings "$work/recordings" --state "$work/state" "front/$name" -o "$out/served/$name.mp4" 2>&1
done
cp -a "$work/cache/." "$out/cache"
cp -a "$work/config/." "$out/config"
cp -a "$work/part.mp4.part" "$work/part.mp4.part.map" "$out/download"
"$footage" cache list --cache "$work/cache"
