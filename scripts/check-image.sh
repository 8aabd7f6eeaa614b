#!/usr/bin/env bash
# Tries the image of a container for this machine: scripts/check-image.sh
#
# Made by scripts/package.sh before. skopeo reads it, and podman runs it in a network of its own: as nobody, with nothing that
# it could write to but its state, without any right. A range of a recording is served out of it. The image for arm64 is
# unpacked, and its program started in an emulator. What cannot be had on a machine is said, and is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

version=$(footage_version)
made=$PWD/.build/packages
arch=$(dpkg --print-architecture)
image=$made/footage_${version}_$arch.oci.tar
[ -e "$image" ] || skip "there is no $image (scripts/package.sh)"
[ "$(id -u)" = 0 ] || skip "only root can create a network namespace"
need_packages skopeo podman runc ffmpeg curl openssl iproute2 || skip "podman cannot be installed"

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-image-XXXXXX")
network=footage-image-$$
running=
finish() {
  [ -z "$running" ] || podman rm --force --time 5 footage-check-$$ >/dev/null 2>&1 || true
  ip netns delete "$network" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

# What it says of itself.
skopeo inspect "oci-archive:$image" >"$work/said"
skopeo inspect --config "oci-archive:$image" >"$work/config"
grep -q "\"org.opencontainers.image.version\": \"$version\"" "$work/said"
grep -q "\"org.opencontainers.image.revision\": \"[0-9a-f]" "$work/said"
grep -q '"User": "10000:10000"' "$work/config"
grep -q '"8443/tcp"' "$work/config"
echo "image: $(stat -c %s "$image") bytes, $(grep -c '"sha256:' "$work/config") layers"

# Less than a container's root may be allowed here, which is less than podman asks for by itself.
limits=(--ulimit nofile=4096:4096 --ulimit nproc=512:512)
# A store of its own, so that this machine's is left alone.
podman() {
  command podman --root "$work/store" --runroot "$work/run" --storage-driver vfs --cgroup-manager cgroupfs --runtime runc "$@"
}
podman load --quiet --input "$image" >"$work/loaded"
name=$(sed 's/.*: //' "$work/loaded")
[ "$(podman run "${limits[@]}" --rm --network none "$name" --version 2>"$work/why" | head -n 1 | cut -d' ' -f2)" = "$version" ] || {
  cat "$work/why" >&2
  skip "podman cannot run a container here"
}

scripts/gen-certs.sh --out "$work/certs" --name localhost --ip 127.0.0.1 >"$work/said" 2>&1
chown -R 10000 "$work/certs"
mkdir "$work/recordings"
ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=10 -t 3 -c:v libx264 -pix_fmt yuv420p "$work/recordings/front.mp4"
# Whether somebody still writes to it is not told to who does not own it: an old one counts as closed.
touch -d '1 hour ago' "$work/recordings/front.mp4"
chmod 755 "$work" "$work/recordings"
ip netns add "$network" || skip "a network namespace cannot be created here"
ip -n "$network" link set lo up
mounts=(-v "$work/recordings:/recordings:ro" -v "$work/certs:/certs:ro" -v footage-state:/state)
podman run "${limits[@]}" --rm --name footage-check-$$ --network "ns:/run/netns/$network" --read-only --cap-drop all \
  --security-opt no-new-privileges "${mounts[@]}" "$name" >"$work/out" 2>"$work/log" </dev/null &
running=$!
ask() { ip netns exec "$network" curl -sS --fail --cacert "$work/certs/server.pem" "https://localhost:8443$1" "${@:2}"; }
for _ in $(seq 300); do
  ask /recordings/front.mp4 -r 0-0 -o /dev/null 2>/dev/null && break
  kill -0 "$running" 2>/dev/null || break
  sleep 0.1
done
if ! ask /recordings/front.mp4 -r 100-199 -o "$work/range"; then
  cat "$work/log" >&2
  exit 1
fi
[ "$(stat -c %s "$work/range")" = 100 ]
ask /recordings/front.mp4 -o "$work/whole.mp4"
cmp "$work/range" <(tail -c +101 "$work/whole.mp4" | head -c 100)
podman exec footage-check-$$ /usr/bin/footage list --recordings /recordings --state /state | grep -q front
[ "$(stat -c %u "/proc/$(podman inspect --format '{{.State.Pid}}' footage-check-$$)")" = 10000 ]
if podman exec footage-check-$$ /usr/bin/footage export front --recordings /recordings --state /state -o /front.mp4 \
  2>"$work/why"; then
  echo "image: its root file system can be written to" >&2
  exit 1
fi
grep -q 'Read-only file system' "$work/why"
podman stop --time 20 footage-check-$$ >/dev/null
wait "$running" || true
running=
grep -q stopped "$work/log"
echo "image: runs as nobody on a read-only root file system, serves a range, and stops when told to"

other=$made/footage_${version}_arm64.oci.tar
if [ "$arch" = amd64 ]; then
  [ -e "$other" ] || skip "the image for arm64 is not tested: there is no $other (scripts/package.sh)"
  need_packages qemu-user-static || skip "the image for arm64 is not tested: the emulator cannot be installed"
  skopeo copy --quiet "oci-archive:$other" "dir:$work/arm64"
  mkdir "$work/root"
  for layer in $(skopeo inspect --format '{{range .Layers}}{{.}} {{end}}' "dir:$work/arm64"); do
    tar -C "$work/root" -xzf "$work/arm64/${layer#sha256:}"
  done
  qemu-aarch64-static -L "$work/root" "$work/root/usr/bin/footage" --version | head -n 1
  echo "image for arm64: its program starts with the image's libraries"
fi
