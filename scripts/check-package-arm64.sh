#!/usr/bin/env bash
# Tries the package for arm64 in an emulator of its processor: scripts/check-package-arm64.sh
#
# Made by scripts/package.sh before. The program for arm64 takes in a file that a recorder closes, serves it over TLS, fetches
# it from itself, exports it as this machine's own program does, byte for byte, and stops when it is told to. What cannot be
# had on a machine is said, and is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

version=$(footage_version)
made=$PWD/.build/packages
sysroot=$PWD/.build/arm64-sdk/debian12-arm64.artifactbundle/debian12-arm64/sysroot
for arch in amd64 arm64; do
  [ -e "$made/footage_${version}_$arch.deb" ] || skip "there is no package for $arch (scripts/package.sh)"
done
[ "$(dpkg --print-architecture)" = amd64 ] || skip "the comparison with the package for amd64 needs an amd64 machine"
[ -d "$sysroot" ] || skip "there are no libraries for arm64 (scripts/arm64-sdk.sh)"
[ "$(id -u)" = 0 ] || skip "only root can have the kernel start programs in an emulator"
need_packages qemu-user-static ffmpeg curl openssl || skip "the emulator cannot be installed"
# What is mounted from here on is seen by this script alone, and goes with it.
if [ -z "${FOOTAGE_OWN_MOUNTS:-}" ]; then FOOTAGE_OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"; fi

work=$(mktemp -d "${TMPDIR:-/tmp}/footage-arm64-XXXXXX")
server=
registered=
finish() {
  [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
  [ -z "$registered" ] || echo -1 >/proc/sys/fs/binfmt_misc/footage-check
  umount -l "$work/root/proc" "$work/root/dev" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
dpkg-deb -x "$made/footage_${version}_amd64.deb" "$work/amd64"

# The program starts itself to read files, so the kernel has to know whom to ask for programs of arm64 (binfmt_misc). They
# find libraries of theirs in a root of their own.
mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null ||
  skip "an emulator cannot be registered with this kernel"
if ! grep -qs '^enabled' /proc/sys/fs/binfmt_misc/qemu-aarch64; then
  magic='\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  echo ":footage-check:M::$magic:$mask:/usr/bin/qemu-aarch64-static:F" >/proc/sys/fs/binfmt_misc/register ||
    skip "an emulator cannot be registered with this kernel"
  registered=yes
fi
mkdir -p "$work"/root/{proc,dev,tmp,etc,srv/recordings,var/lib/state}
cp -a "$sysroot"/lib "$work/root/"
mkdir -p "$work/root/usr/lib/aarch64-linux-gnu"
cp -a "$sysroot"/usr/lib/*.so* "$work/root/usr/lib/" 2>/dev/null || true
cp -a "$sysroot"/usr/lib/aarch64-linux-gnu/*.so* "$work/root/usr/lib/aarch64-linux-gnu/"
dpkg-deb --fsys-tarfile "$made/footage_${version}_arm64.deb" | tar -x --keep-directory-symlink -C "$work/root"
mount -t proc proc "$work/root/proc"
mount --bind /dev "$work/root/dev"
arm64() { chroot "$work/root" /usr/bin/footage "$@"; }
amd64() { "$work/amd64/usr/bin/footage" "$@"; }
# until_true SECONDS COMMAND...: tries it ten times a second.
until_true() {
  local left=$(($1 * 10))
  shift
  until "$@" >/dev/null 2>&1; do
    ((left-- > 0)) || { echo "this never succeeded: $*" >&2; grep -v " 404 " "$work/log" | tail -n 20 >&2; exit 1; }
    sleep 0.1
  done
}

arm64 --version
"$work/amd64/usr/share/footage/gen-certs.sh" --out "$work/root/etc/footage" --name localhost --ip 127.0.0.1 >"$work/log" 2>&1
mkdir "$work/other"
chroot "$work/root" /usr/bin/footage serve --recordings /srv/recordings --certs /etc/footage --listen 127.0.0.1:0 \
  >"$work/said" 2>"$work/log" </dev/null &
server=$!
until_true 30 test -s "$work/said"
url=$(head -n 1 "$work/said")
pin=$(sed -n 2p "$work/said")
ask() { curl -sS --fail --cacert "$work/root/etc/footage/server.pem" "${url%/}$1" "${@:2}"; }
until_true 30 ask /health

# The recorder writes for a while: the index comes at the end of the file, when it closes.
ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=25 -t 8 -c:v libx264 -pix_fmt yuv420p "$work/root/srv/recordings/front.mp4"
closed=$(date +%s%N)
until_true 30 ask /recordings/front.mp4 -r 0-0 -o /dev/null
echo "served $((($(date +%s%N) - closed) / 1000000)) ms after the recorder closed it"
cp "$work/root/srv/recordings/front.mp4" "$work/other/"

ask /recordings/front.mp4 -o "$work/whole.mp4"
length=$(stat -c %s "$work/whole.mp4")
ask /recordings/front.mp4 -r "$((length - 1000))-" -o "$work/tail"
cmp "$work/tail" <(tail -c 1000 "$work/whole.mp4")
arm64 fetch front --robot "$(cut -d/ -f3 <<<"$url")" --pin "$pin" -o /tmp/fetched.mp4 >/dev/null
cmp "$work/root/tmp/fetched.mp4" "$work/whole.mp4"
arm64 export front --recordings /srv/recordings --state /var/lib/state -o /tmp/arm64.mp4
amd64 export front --recordings "$work/other" --state "$work/state-amd64" -o "$work/amd64.mp4"
cmp "$work/root/tmp/arm64.mp4" "$work/amd64.mp4"
cmp "$work/root/tmp/arm64.mp4" "$work/whole.mp4"

kill -TERM "$server"
wait "$server"
server=
grep -q 'stopped' "$work/log"
echo "arm64: served, fetched, exported as on amd64, and stopped"
