#!/usr/bin/env bash
# Runs in a booted Debian, with /check/footage.deb and /check/large.mp4: how the service makes room on a small disk of its own,
# by what retention.conf says, and what it leaves there.
# shellcheck source=scripts/boot/words.sh
. /root/words.sh

sudo() { "$@"; }
served() { ask "/recordings/$1.mp4" -r 0-0 -o /dev/null; }
there() { [ -e "/srv/recordings/$1.mp4" ]; }
# record NAME HOURS: what a recorder closed that many hours ago.
record() {
  local file=/srv/recordings/$1.mp4
  runuser -u footage -- install -D -m644 /check/large.mp4 "$file.new"
  runuser -u footage -- touch -d "$2 hours ago" "$file.new"
  runuser -u footage -- mv "$file.new" "$file"
}
# of_disk FIELD: bytes of the disk that are "avail", "used" or "size".
of_disk() { df --output="$1" -B1 /srv/recordings | tail -n 1 | tr -d ' '; }
has_room() { [ $(($(of_disk avail) * 100)) -ge $(($(of_disk size) * 15)) ]; }
log_has() { journalctl -q -u footage --no-pager -o cat "${@:2}" | grep -q "$1"; }

dpkg -i /check/footage.deb >/dev/null
systemctl stop footage
large=$(stat -c %s /check/large.mp4)
mount -t tmpfs -o "size=$((large * 16)),mode=2775,uid=$(id -u footage),gid=$(id -g footage)" recordings /srv/recordings
systemctl start footage
for hours in $(seq -w 15 -1 2); do record "front/$hours" "$hours"; done
until_true 20 served front/02
not nsenter -t "$(pid)" -m touch /srv/recordings/x
until_true 30 sh -c 'footage status | grep -q "will be full"'
say "14 recordings on a disk for 16, and nothing is deleted: $(footage status | tail -n 1)"

# Rules alone: the service may not write there.
echo FOOTAGE_KEEP_FREE=15% >>/etc/default/footage
systemctl restart footage
until_true 30 log_has 'no .footage-disk' -p warning
footage keep --mark-disk
until_true 30 sh -c 'footage status | grep -q "^failing: "'
until_true 30 log_has 'nothing can be deleted: .*Read-only file system .*ReadWritePaths=' -p warning
advice=$(footage doctor || true)
[[ $advice == 'WRONG '*'ReadWritePaths='* ]]
there front/15
say "rules without the right to write are reported: ${advice%%$'\n'*}"
sed -i '/^FOOTAGE_KEEP_FREE/d' /etc/default/footage
rm /srv/recordings/.footage-disk

footage keep front/15
footage kept | tail -n 1
while read -r command <&3; do
  echo "# $command"
  eval "$command"
done 3< <(sed -n 's/^#   \(sudo .*\)/\1/p' /usr/share/doc/footage/examples/retention.conf)
nsenter -t "$(pid)" -m touch /srv/recordings/x
rm /srv/recordings/x
until_true 30 has_room
there front/15
not there front/14
there front/02
not served front/14
served front/15
until_true 5 log_has 'front/14'
say "the oldest was deleted, a protected one was not: $(journalctl -q -u footage --no-pager -o cat | grep front/14 | tail -n 1)"
until_true 30 sh -c 'footage status | grep -q ^ok:'
footage doctor | grep -qx 'Nothing is wrong.'

echo "FOOTAGE_MAX_SIZE=$((large * 5))" >>/etc/default/footage
systemctl restart footage
until_true 30 not there front/06
there front/15
there front/05
[ "$(find /srv/recordings -name '*.mp4' | wc -l)" = 5 ]
say "with --max-size, $(footage list | tail -n +2 | wc -l) are left"

footage release front/15
record front/01 2
until_true 30 not there front/15
there front/05
say "a released recording is deleted next"

# As README says of recorders that are other users.
adduser --system --ingroup footage --no-create-home --quiet recorder
runuser -u recorder -- sh -c 'umask 002 && mkdir /srv/recordings/side && cp /check/large.mp4 /srv/recordings/side/99.new'
runuser -u recorder -- touch -d '99 hours ago' /srv/recordings/side/99.new
runuser -u recorder -- mv /srv/recordings/side/99.new /srv/recordings/side/99.mp4
# What it meets while it runs is an hour old in an hour, whatever its times say.
systemctl restart footage
until_true 30 not there side/99
there front/05
say "and so is a recording of another user in the group, who lets the group write"

rm -r /etc/systemd/system/footage.service.d
systemctl daemon-reload
systemctl restart footage
until_true 10 served front/02
not nsenter -t "$(pid)" -m touch /srv/recordings/x
say "without the drop-in, the service may only read again"
echo "all is well"
