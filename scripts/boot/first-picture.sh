#!/usr/bin/env bash
# Runs in a booted Debian that has nothing but the package's file beside it: what README says, up to the first picture, which
# somebody else looks at (/ready, /looked). Wants /root/commands, out of README.
# shellcheck source=scripts/boot/words.sh
. /root/words.sh

# A bare Debian has no sudo, and root needs none.
sudo() { "$@"; }
# What a person answers when apt asks whether to go on.
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes
while read -r command <&3; do
  echo "# $command"
  eval "$command"
done 3</root/commands
say "all commands of README were run"
[ "$(sudo cat /etc/footage/server.pin)" = "$(cat /etc/footage/server.pin)" ]
until_true 10 test -e /etc/avahi/services/footage.service
until_true 10 systemctl is-active avahi-daemon
systemctl is-enabled --quiet footage
# The robot itself asks the Avahi that runs beside it.
listed() { "$@" footage robots --wait 2 | grep -qF "$(cat /etc/footage/server.pin)"; }
until_true 30 listed env
touch /ready
until_true 180 test -e /looked
[ "$(cat /looked)" = 0 ]
say "a viewer has seen the picture"
# Avahi is asked over the bus, and has another network than what it is asked from.
until_true 30 listed unshare --net
say "this machine's Avahi lists the robot"
echo "all is well"
