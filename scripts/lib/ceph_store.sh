#!/usr/bin/env bash
# Ceph on this machine's loopback: a monitor, an object store in memory and radosgw's S3 API, as object_store.sh does it:
#   ceph_store.sh start DIR [PORT] | stop DIR | kill DIR
# Debian's radosgw, ceph-mon, ceph-osd and ceph-common. What it has is gone with `kill`, and with `stop`.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/store_engine.sh"

user=robot secret=secretsecret bucket=recordings

# configure DIR PORT MONITOR. Without cephx the monitor's clients have to be told the mode, or they never connect.
configure() {
  mkdir -p "$1"/{mon,osd,log,run,rgw,crash}
  cat >"$1/ceph.conf" <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v2:127.0.0.1:$3/0]
ms bind msgr1 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
run dir = $1/run
admin socket = $1/run/\$name.asok
pid file = $1/run/\$name.pid
log file = $1/log/\$name.log
mon cluster log file = $1/log/cluster.log
crash dir = $1/crash
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
[mon.a]
mon data = $1/mon
[osd.0]
osd data = $1/osd
osd objectstore = memstore
memstore device bytes = 2147483648
osd class load list = *
osd class default list = *
[client.rgw]
rgw data = $1/rgw
rgw frontends = beast endpoint=127.0.0.1:$2
rgw thread pool size = 32
rgw dynamic resharding = false
ms mon client mode = crc
ms mon service mode = crc
ms mon cluster mode = crc
CONF
}

# until_it WORDS COMMAND…: again and again for a minute; WORDS are for where it never succeeds.
until_it() {
  local words=$1 tries
  shift
  for tries in $(seq 300); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.2
  done
  end "$dir" -TERM
  cannot "$words (after $tries attempts): see $dir/log"
}

osd_is_up() { timeout 20 ceph osd stat 2>/dev/null | grep -q '1 up'; }

start() {
  local port ports uuid
  need_packages radosgw ceph-mon ceph-osd ceph-common curl || cannot "Debian's Ceph is not installed"
  rm -rf "$1"
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  read -ra ports < <(free_ports 2)
  port=${2:-${ports[1]}}
  configure "$dir" "$port" "${ports[0]}"
  make_key "$dir" "$user" "$secret"
  : >"$dir/pids"
  export CEPH_CONF=$dir/ceph.conf
  monmaptool --create --clobber --fsid "$(sed -n 's/^fsid = //p' "$dir/ceph.conf")" \
    --addv a "[v2:127.0.0.1:${ports[0]}]" "$dir/monmap" >"$dir/log/monmap"
  ceph-mon --mkfs -i a --monmap "$dir/monmap" >"$dir/log/mon.out" 2>&1
  ceph-mon -f -i a >>"$dir/log/mon.out" 2>&1 </dev/null &
  echo $! >>"$dir/pids"
  uuid=$(cat /proc/sys/kernel/random/uuid)
  timeout 60 ceph osd new "$uuid" >"$dir/log/osd.new" 2>&1 || cannot "the monitor does not respond: see $dir/log"
  ceph-osd -i 0 --mkfs --osd-uuid "$uuid" >"$dir/log/osd.out" 2>&1
  ceph-osd -f -i 0 >>"$dir/log/osd.out" 2>&1 </dev/null &
  echo $! >>"$dir/pids"
  until_it "the OSD does not come up" osd_is_up
  timeout 120 radosgw-admin user create --uid="$user" --display-name="$user" --access-key="$user" --secret="$secret" \
    >"$dir/log/admin.out" 2>&1 || cannot "radosgw-admin cannot create a user: see $dir/log"
  radosgw -f -n client.rgw >"$dir/log/rgw.out" 2>&1 </dev/null &
  echo $! >>"$dir/pids"
  until_it "radosgw does not start" python3 -B "$root/scripts/tools" stores.make_bucket "http://127.0.0.1:$port/$bucket" "$dir/key"
  echo "http://127.0.0.1:$port/$bucket" | tee "$dir/address"
}

command_of ceph_store.sh "$@"
