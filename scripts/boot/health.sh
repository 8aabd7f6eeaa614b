#!/usr/bin/env bash
# Runs in a booted Debian, with /check/footage.deb, clip.mp4 and broken.mp4: what a robot says of how it is, to whom, and what
# the log keeps of it.
# shellcheck source=scripts/boot/words.sh
. /root/words.sh

# warnings PATTERN: whether the log has warned of that.
warnings() { journalctl -q -p warning -u footage --no-pager -o cat | grep -q "$1"; }
# status_is WORD: how the server is, by what it says to people.
status_is() { [[ "$(footage status || true)" == "$1: "* ]]; }
# exits_with CODE COMMAND...: fails where it ends otherwise.
exits_with() {
  local code=0
  "${@:2}" >/dev/null 2>&1 || code=$?
  [ "$code" = "$1" ]
}
# doctor WORDS CODE: says these words in one of at most twenty lines, and ends with that code.
doctor() {
  local said code=0
  said=$(footage doctor) || code=$?
  if [ "$code" = "$2" ] && [ "$(wc -l <<<"$said")" -le 20 ] && grep -qF "$1" <<<"$said"; then return; fi
  echo "footage doctor ended with $code; expected $2 and '$1': $said"
  return 1
}

dpkg -i /check/footage.deb >/dev/null
until_true 10 status_is ok
doctor "Nothing is wrong." 0
runuser -u footage -- sh -c 'mkdir /srv/recordings/front && cp /check/clip.mp4 /srv/recordings/front/one.mp4'
until_true 10 ask /recordings/front/one.mp4 -r 0-99 -o /dev/null
until_true 10 sh -c 'footage status | grep -qx "ok: 1 recording.*"'
doctor "Nothing is wrong." 0
same_as_health() { [ "$(footage status --json)" = "$(ask /health)" ]; }
until_true 5 same_as_health
say "well, and reports so in $(footage doctor | wc -l) lines; the log has no warning"

runuser -u footage -- footage status --json | grep -q '"status":"ok"'
runuser -u nobody -g footage-status -- footage status | grep -q '^ok: '
# Recorders are in the group footage.
for group in nogroup footage; do
  exits_with 1 runuser -u nobody -g "$group" -- footage status
  stranger=$(runuser -u nobody -g "$group" -- footage status 2>&1 || true)
  [[ $stranger == *'/run/footage-status/status'*'permission denied (try sudo'* ]]
done
[ "$(stat -c '%U:%G %a' /run/footage-status)" = 'footage:footage-status 2750' ]
[ "$(stat -c '%G %a' /run/footage-status/status)" = 'footage-status 660' ]
say "root, the service's user and members of the group footage-status may ask; no one else may, not even recorders"

runuser -u footage -- cp /check/broken.mp4 /srv/recordings/front/two.mp4
until_true 30 status_is degraded
exits_with 0 footage status
doctor "front/two.mp4" 0
until_true 5 warnings 'front/two.mp4'
# What it says to do. What was just written to might be recorded still, as far as this command can tell.
until_true 30 sh -c 'footage list --state refused | grep -q front/two'
say "a refused file is reported, also in the log: $(footage status | tail -n 1)"
rm /srv/recordings/front/two.mp4
until_true 30 status_is ok

mv /srv/recordings /srv/elsewhere
until_true 30 status_is failing
exits_with 1 footage status
doctor "The recordings folder does not exist" 1
exits_with 22 ask /health
ask '/health?live' -o /dev/null
until_true 5 warnings recordings
mv /srv/elsewhere /srv/recordings
until_true 30 status_is ok
doctor "Nothing is wrong." 0
until_true 10 ask /recordings/front/one.mp4 -r 0-99 -o /dev/null
say "a missing folder is reported, and its recordings are served when it is back"

chown root:root /srv/recordings
chmod 700 /srv/recordings
not systemctl restart footage
doctor "No server responds" 1
until_true 5 warnings 'cannot list /srv/recordings: Permission denied (check the owner and mode'
chown footage:footage /srv/recordings
chmod 2775 /srv/recordings
until_true 30 status_is ok
say "a folder that the service may not read is reported in the log, and served as soon as it may"

chmod 644 /etc/footage/server.key
systemctl reload footage
until_true 5 warnings 'server.key can be read by users other than'
doctor "chmod 640" 0
# What it says to do.
chmod 640 /etc/footage/server.key
doctor "Nothing is wrong." 0
# And so does a start.
chmod 644 /etc/footage/server.key
systemctl restart footage
until_true 10 status_is ok
doctor "Nothing is wrong." 0
say "a key that others may read is reported, and the doctor's advice helps"

systemctl stop footage
exits_with 1 footage status
doctor "No server responds" 1
cp -a /etc/footage /etc/footage.whole
rm /etc/footage/server.pem
doctor "cannot start without valid certificates" 1
rm -r /etc/footage
mv /etc/footage.whole /etc/footage
# What it says to do.
systemctl start footage
until_true 10 status_is ok
doctor "Nothing is wrong." 0
say "a server that does not run is reported, with what it lacks"

# Whoever looks while the service is down leaves nothing that it could not write.
systemctl stop footage
rm -r /var/lib/footage/*
footage list | grep -q front/one
systemctl start footage
until_true 10 status_is ok
doctor "Nothing is wrong." 0
[ -z "$(find /var/lib/footage ! -user footage)" ]
say "a command run by root leaves nothing that the service cannot write"
echo "all is well"
