#!/usr/bin/env bash
# Tries this machine's package in a Debian that is booted for it: scripts/check-package.sh [SUITE=bookworm]
#
# Made by scripts/package.sh before. In a container with systemd and without a network: installed, started, asked over HTTPS
# with the robot's certificate, given a recording, killed, hung, upgraded, removed and purged. What cannot be had on a machine
# is said, and is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

suite=${1:-bookworm}
skip() {
  echo "check-package: skipped: $*" >&2
  exit 0
}

[ "$(id -u)" = 0 ] || skip "a container can be booted by root alone"
arch=$(dpkg --print-architecture)
version=$(sed -n 's/.*number = "\(.*\)"/\1/p' Sources/Formats/FootageVersion.swift)
package=$PWD/.build/packages/footage_${version}_$arch.deb
[ -e "$package" ] || { echo "check-package: there is no $package: scripts/package.sh makes it" >&2; exit 1; }
need_packages mmdebstrap systemd-container lintian ffmpeg || skip "its packages cannot be installed"

lintian --allow-root --fail-on error --suppress-tags initial-upload-closes-no-bugs "$package"
exposure=$(SYSTEMD_COLORS=0 systemd-analyze security --offline=yes scripts/package/footage.service | tail -n 1)
echo "systemd-analyze security: $exposure"
points=$(grep -oE '[0-9]+\.[0-9]+' <<<"$exposure" | head -n 1)
awk -v points="$points" 'BEGIN { exit !(points != "" && points <= 1.5) }'

# What the package needs of Debian, and what a person looks with.
base=$PWD/.build/$suite-root.tar
if [ ! -e "$base" ]; then
  mmdebstrap --quiet --variant=minbase --format=tar \
    --include=systemd-sysv,dbus,libssl3,libsqlite3-0,libstdc++6,openssl,tzdata,adduser,init-system-helpers,curl \
    "$suite" "$base.new" || skip "there is no mirror with $suite"
  mv "$base.new" "$base"
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/footage-boot-XXXXXX")
machine=
finish() {
  [ -z "$machine" ] || kill "$machine" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
mkdir "$work/root"
tar -C "$work/root" -xf "$base"
cp "$package" "$work/root/footage.deb"
ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=10 -t 3 -c:v libx264 -pix_fmt yuv420p "$work/root/clip.mp4"
head -c 3000 "$work/root/clip.mp4" >"$work/root/broken.mp4"

cat >"$work/root/check" <<'CHECK'
#!/bin/bash
# Runs inside; what it says last is the result.
set -eEuo pipefail
trap 'echo "failed in line $LINENO: $BASH_COMMAND"; systemctl status footage --no-pager; journalctl -u footage --no-pager | tail -n 40; systemctl poweroff' ERR
export DEBIAN_FRONTEND=noninteractive
ask() { curl -sS --fail --cacert /etc/footage/server.pem "https://localhost:8443$1" "${@:2}"; }
# until SECONDS COMMAND...: tries it ten times a second.
until_true() {
  local left=$(($1 * 10))
  shift
  until "$@" >/dev/null 2>&1; do
    ((left-- > 0))
    sleep 0.1
  done
}
# not COMMAND...: fails where it succeeds, which `!` does not do for errexit.
not() { if "$@" >/dev/null 2>&1; then false; fi; }
pid() { systemctl show -p MainPID --value footage; }
restarts() { systemctl show -p NRestarts --value footage; }
say() { echo "$(cut -d' ' -f1 /proc/uptime) s: $*"; }

dpkg -i /footage.deb
until_true 5 ask /health
say "installed, and answers: $(ask /health)"
[ "$(systemctl show -p Type --value footage)" = notify ]
[ "$(stat -c '%U:%G %a' /etc/footage/server.key)" = root:footage\ 640 ]
[ "$(ps -o user= -p "$(pid)" 2>/dev/null || stat -c %U "/proc/$(pid)")" = footage ]
not grep -q 'can be read by others' <(journalctl -u footage --no-pager)
su -s /bin/sh footage -c 'cp /clip.mp4 /srv/recordings/front.mp4; cp /broken.mp4 /srv/recordings/broken.mp4'
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
[ "$(ask /recordings/front.mp4 -r 0-99 | wc -c)" = 100 ]
until_true 10 sh -c 'curl -s --cacert /etc/footage/server.pem https://localhost:8443/recordings | grep -q "\"state\":\"refused\""'
say "a recording is served, a broken one refused"
not nsenter -t "$(pid)" -m touch /srv/recordings/x
nsenter -t "$(pid)" -m touch /var/lib/footage/x
say "the service cannot write among the recordings"

before=$(pid)
kill -9 "$before"
until_true 10 sh -c "[ \$(systemctl show -p NRestarts --value footage) -ge 1 ]"
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
say "killed, and started again"

mkdir -p /run/systemd/system/footage.service.d
printf '[Service]\nWatchdogSec=3\n' >/run/systemd/system/footage.service.d/watchdog.conf
systemctl daemon-reload
systemctl restart footage
until_true 10 ask /health
sleep 5
[ "$(restarts)" = 0 ]
hung=$(pid)
kill -STOP "$hung"
until_true 20 sh -c "[ \$(systemctl show -p MainPID --value footage) != $hung ]"
until_true 10 ask /health
say "hung, and started again by the watchdog"
rm -r /run/systemd/system/footage.service.d
systemctl daemon-reload

pin=$(openssl x509 -in /etc/footage/server.pem -noout -fingerprint)
dpkg -i /footage.deb
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
[ "$pin" = "$(openssl x509 -in /etc/footage/server.pem -noout -fingerprint)" ]
say "upgraded, with the same key"

systemctl reload footage
until_true 5 sh -c "journalctl -u footage --no-pager | grep -q 'certificates were read again'"
systemctl stop footage
journalctl -u footage --no-pager -o json | grep -q '"PRIORITY":"6"'
systemctl start footage
until_true 10 ask /health

dpkg -r footage
not systemctl is-active --quiet footage
[ -e /etc/footage/server.key ]
[ -e /srv/recordings/front.mp4 ]
dpkg --purge footage
[ -e /etc/footage/server.key ]
[ -e /srv/recordings/front.mp4 ]
[ ! -e /var/lib/footage ]
[ ! -e /etc/default/footage ]
say "removed and purged; recordings and keys are there"
dpkg -i /footage.deb
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
[ "$pin" = "$(openssl x509 -in /etc/footage/server.pem -noout -fingerprint)" ]
touch /etc/footage/delete-on-purge
dpkg --purge footage
[ ! -e /etc/footage ]
[ ! -e /srv/recordings ]
say "installed again with the same key, and purged with everything"
echo "all is well"
systemctl poweroff
CHECK
chmod +x "$work/root/check"
cat >"$work/root/etc/systemd/system/check.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=idle
ExecStart=/check
StandardOutput=file:/result
StandardError=file:/result
UNIT
mkdir -p "$work/root/etc/systemd/system/multi-user.target.wants"
ln -s ../check.service "$work/root/etc/systemd/system/multi-user.target.wants/check.service"
touch "$work/root/result"

timeout 180 systemd-nspawn --quiet --boot --register=no --keep-unit --private-network --directory="$work/root" \
  --machine=footage-check --console=pipe </dev/null >"$work/console" 2>&1 &
machine=$!
wait "$machine" || true
machine=
cat "$work/root/result"
if ! grep -q . "$work/root/result"; then
  tail -n 20 "$work/console" >&2
  skip "no container can be booted here"
fi
grep -qx 'all is well' "$work/root/result"
