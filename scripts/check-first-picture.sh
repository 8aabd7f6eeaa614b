#!/usr/bin/env bash
# Goes from `apt install` to a picture in a browser: scripts/check-first-picture.sh [--release bookworm|trixie]
#
# Made by scripts/package.sh before. A bare Debian is booted, has nothing but the package's file, and is given the commands of
# the guide's section about it (Documentation/guide/install.md). A cable leads from there to another machine (network namespaces), which finds the robot by what
# its Avahi says, lists its recordings, and shows the picture in Chromium: a screenshot stays in .build/first-picture-….png.
# What cannot be had on a machine is said, and is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh
. scripts/lib/debian.sh
. scripts/lib/boot.sh

boot_check "$@"
need_packages mmdebstrap systemd-container ffmpeg python3 iproute2 chromium chromium-driver ||
  skip "the packages that it needs cannot be installed"

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-boot-XXXXXX")
robot=footage-robot-$$
viewer=footage-viewer-$$
looking=
finish() {
  [ -z "$looking" ] || kill "$looking" 2>/dev/null || true
  ip netns delete "$robot" 2>/dev/null || true
  ip netns delete "$viewer" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
base=$(boot_base "$release" systemd-sysv) || skip "there is no mirror with $release"
root=$work/bare
mkdir "$root"
tar -C "$root" -xf "$base"
cp "$package" "$root/root/"
ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=25 -t 5 -c:v libx264 -pix_fmt yuv420p "$root/root/one.mp4"
dpkg-deb -x "$package" "$work/viewer"
echo robot7 >"$root/etc/hostname"
# What apt would download meanwhile is there, since the robot has no other network than the cable.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" sh -c "apt-get -qq update && apt-get -qq -y --download-only install /root/$(basename "$package")" >/dev/null ||
  skip "the packages that Footage needs cannot be downloaded"
: >"$root/etc/resolv.conf"
# The commands of its section that are for the robot, with this machine's kind of package.
awk '/^##/ { wanted = $0 == "## As a package" } wanted && /^    sudo / { sub(/ *#.*/, ""); sub(/^ */, ""); print }' Documentation/guide/install.md |
  sed "s/footage_[0-9.]*_[a-z0-9]*\.deb/$(basename "$package")/" >"$root/root/commands"
grep -q '^sudo apt install ' "$root/root/commands"

# A robot and a viewer, and a cable between them.
ip netns add "$robot" || skip "a network namespace cannot be created here"
ip netns add "$viewer"
ip link add eth0 netns "$robot" type veth peer name eth0 netns "$viewer"
for place in "$robot 192.0.2.7" "$viewer 192.0.2.8"; do
  ip -n "${place% *}" link set lo up
  ip -n "${place% *}" link set eth0 up
  ip -n "${place% *}" address add "${place#* }/24" dev eth0
done

# look: on the viewer's side, once the robot is ready.
look() {
  until [ -e "$root/ready" ]; do sleep 0.2; done
  local pin result=0
  pin=$(cat "$root/etc/footage/server.pin")
  from_viewer "$work/viewer/usr/bin/footage" robots --wait 5 >"$work/robots" 2>&1 &&
    from_viewer "$work/viewer/usr/bin/footage" list --robot 192.0.2.7 --pin "$pin" >"$work/list" 2>&1 &&
    from_viewer python3 -B scripts/tools check.first_picture https://robot7.local:8443/ 192.0.2.7 "$pin" ".build/first-picture-$release.png" \
      >"$work/picture" 2>&1 || result=1
  echo "$result" >"$root/looked.new"
  mv "$root/looked.new" "$root/looked"
}
from_viewer() { HOME=$work/home ip netns exec "$viewer" "$@"; }
mkdir "$work/home"
look &
looking=$!
status=0
boot "$root" scripts/boot/first-picture.sh 400 --network-namespace-path="/run/netns/$robot" --hostname=robot7 || status=$?
cat "$work/robots" "$work/list" "$work/picture" 2>/dev/null || true
[ "$status" != 2 ] || skip "a container cannot be booted here"
[ "$status" = 0 ]
grep -qF "$(cat "$root/etc/footage/server.pin")" "$work/robots"
