#!/usr/bin/env bash
# Runs in a booted Debian, with /check/footage.deb, clip.mp4, broken.mp4 and hostile/: a package's life.
# shellcheck source=scripts/boot/words.sh
. /root/words.sh

dpkg -i /check/footage.deb
until_true 5 ask /health
say "installed, and answers: $(ask /health)"
[ "$(systemctl show -p Type --value footage)" = notify ]
rights() { stat -c '%U:%G %a' "$1"; }
[ "$(rights /etc/footage/server.key)" = 'root:footage-keys 640' ]
[ "$(stat -c %U "/proc/$(pid)")" = footage ]
not grep -q 'can be read by users other than' <(journalctl -u footage --no-pager)
# A recorder, as README says: it writes recordings, and reads no key.
adduser --system --ingroup footage --no-create-home --quiet recorder
not runuser -u recorder -- cat /etc/footage/server.key
not runuser -u recorder -- ls /run/footage-status
not runuser -u recorder -- touch /var/lib/footage/x
runuser -u recorder -- touch /srv/recordings/x
rm /srv/recordings/x
say "a recorder can neither read a key nor ask the server"
su -s /bin/sh footage -c 'cp /check/clip.mp4 /srv/recordings/front.mp4; cp /check/broken.mp4 /srv/recordings/broken.mp4'
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
[ "$(ask /recordings/front.mp4 -r 0-99 | wc -c)" = 100 ]
# state NAME: what is said of a recording.
state() { ask "/recordings/$1.json"; }
refused() { state "$1" | grep -q '"state":"refused"'; }
until_true 10 refused broken
say "a recording is served, a broken one refused"
not nsenter -t "$(pid)" -m touch /srv/recordings/x
nsenter -t "$(pid)" -m touch /var/lib/footage/x
say "the service cannot write among the recordings"

before=$(pid)
kill -9 "$before"
until_true 10 sh -c "[ \$(systemctl show -p NRestarts --value footage) -ge 1 ]"
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
say "killed, and restarted"

# Files that end the process that reads them. Where the control group has no limit (a container's may have none), the child
# gets the one that it would take from it: half.
drop_in=/run/systemd/system/footage.service.d
mkdir -p "$drop_in"
group=$(systemctl show -p ControlGroup --value footage)
if [ "$(cat "/sys/fs/cgroup$group/memory.max" 2>/dev/null)" = $((768 << 20)) ]; then
  say "MemoryMax is enforced here"
else
  say "MemoryMax is not enforced here: there is no memory controller in this container; a limit of the process replaces it"
  printf '[Service]\nLimitDATA=384M\n' >"$drop_in/memory.conf"
fi
systemctl daemon-reload
systemctl restart footage
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
before=$(pid)
reader=$(pgrep -P "$before" || true)
for file in memory processor-time; do
  su -s /bin/sh footage -c "cp /check/hostile/$file.mp4 /srv/recordings/$file.mp4"
done
until_true 60 refused memory
until_true 60 refused processor-time
[[ "$(state memory)" == *'it crashes the process that reads files'* ]]
[[ "$(state processor-time)" == *'more processor time than a file may use'* ]]
reader=$(pgrep -P "$before")
limit=$(awk '/^Max data size/ { print $4 }' "/proc/${reader%%$'\n'*}/limits")
[ "$limit" = $((384 << 20)) ]
[ "$(cat "/proc/${reader%%$'\n'*}/oom_score_adj")" = 1000 ]
[ "$(pid)" = "$before" ]
[ "$(restarts)" = 0 ]
systemctl is-active --quiet footage
[ "$(ask /recordings/front.mp4 -r 0-99 | wc -c)" = 100 ]
su -s /bin/sh footage -c 'cp /check/clip.mp4 /srv/recordings/after.mp4'
until_true 10 ask /recordings/after.mp4 -r 0-99 -o /dev/null
say "a file that wants too much memory and one that wants too much processor time are refused (a reader may have" \
  "$((limit >> 20)) MiB); the server is the same one and serves the others"
# The kernel ends the child where there is no memory left, and says so to systemd: the service goes on.
[ "$(systemctl show -p OOMPolicy --value footage)" = continue ]
rm /srv/recordings/{memory,processor-time,after}.mp4

printf '[Service]\nWatchdogSec=3\n' >"$drop_in/watchdog.conf"
systemctl daemon-reload
systemctl restart footage
until_true 10 ask /health
sleep 5
[ "$(restarts)" = 0 ]
hung=$(pid)
kill -STOP "$hung"
until_true 20 sh -c "[ \$(systemctl show -p MainPID --value footage) != $hung ]"
until_true 10 ask /health
say "hung, and restarted by the watchdog"
rm -r "$drop_in"
systemctl daemon-reload

fingerprint() { openssl x509 -in /etc/footage/server.pem -noout -fingerprint; }
served() { ask /health -o /dev/null -w '%{certs}' | openssl x509 -noout -fingerprint; }
shows_new() { [ "$(served)" = "$(fingerprint)" ]; }
[ ! -e /etc/footage/client-ca.key ]
systemctl is-active --quiet footage-renew.timer
systemctl start footage-renew
until_true 5 sh -c "journalctl -u footage-renew --no-pager | grep -q 'left unchanged'"
# Another name, so that it is made again, for less than 60 days.
footage-gen-certs --out /etc/footage --only server --days 50 --name short.example >/dev/null
key=$(cat /etc/footage/server.pin)
short=$(fingerprint)
systemctl start footage-renew
[ "$(fingerprint)" != "$short" ]
[ "$(cat /etc/footage/server.pin)" = "$key" ]
until_true 10 shows_new
say "renewed by the timer's service, with the same key, and loaded while the server runs"

pin=$(fingerprint)
# As a package before the groups left it, with a store's key, and with a switch that was taken for on.
systemctl stop footage
printf 'ID\nSECRET\n' >/etc/footage/offload-key
chgrp footage /etc/footage /etc/footage/server.* /etc/footage/offload-key
chmod 640 /etc/footage/offload-key
chmod 0750 /etc/footage
runuser -u recorder -- cat /etc/footage/offload-key >/dev/null
echo FOOTAGE_ACCESS_LOG=maybe >>/etc/default/footage
dpkg -i --force-confold /check/footage.deb 2>&1 | grep -F "FOOTAGE_ACCESS_LOG in /etc/default/footage is 'maybe'"
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
[ "$pin" = "$(openssl x509 -in /etc/footage/server.pem -noout -fingerprint)" ]
for file in server.key offload-key; do
  [ "$(rights "/etc/footage/$file")" = 'root:footage-keys 640' ]
  not runuser -u recorder -- cat "/etc/footage/$file"
done
[ "$(tr '\0' '\n' <"/proc/$(pid)/environ" | grep ^FOOTAGE_ACCESS_LOG=)" = FOOTAGE_ACCESS_LOG=on ]
sed -i /FOOTAGE_ACCESS_LOG/d /etc/default/footage
systemctl restart footage
until_true 10 ask /health
[ ! -e /run/footage-switches ]
say "upgraded, with the same key, which recorders can no longer read"

hostname renamed
systemctl restart footage
until_true 10 sh -c 'curl -sS --fail --cacert /etc/footage/server.pem --resolve renamed.local:8443:127.0.0.1 https://renamed.local:8443/health'
[ "$key" = "$(cat /etc/footage/server.pin)" ]
pin=$(fingerprint)
say "renamed, with the same key"

# Nothing of this keeps it from starting.
hostname 20231105
mount --bind /etc /etc
mount -o remount,bind,ro /etc
systemctl restart footage
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
umount -l /etc
say "started with a read-only /etc, and a host name that cannot be in a certificate"

systemctl reload footage
until_true 5 sh -c "journalctl -u footage --no-pager | grep -q 'certificates were reloaded'"
systemctl stop footage
journalctl -u footage --no-pager -o json | grep -q '"PRIORITY":"6"'
systemctl start footage
until_true 10 ask /health

dpkg -r footage
not systemctl is-active --quiet footage
not systemctl is-active --quiet footage-renew.timer
[ -e /etc/footage/server.key ]
[ -e /srv/recordings/front.mp4 ]
dpkg --purge footage
[ -e /etc/footage/server.key ]
[ -e /srv/recordings/front.mp4 ]
[ ! -e /var/lib/footage ]
[ ! -e /etc/default/footage ]
say "removed and purged; recordings and keys are still there"
dpkg -i /check/footage.deb
until_true 10 ask /recordings/front.mp4 -r 0-99 -o /dev/null
[ "$pin" = "$(openssl x509 -in /etc/footage/server.pem -noout -fingerprint)" ]
touch /etc/footage/delete-on-purge
dpkg --purge footage
[ ! -e /etc/footage ]
[ ! -e /srv/recordings ]
say "installed again with the same key, and purged with everything"
echo "all is well"
