#!/usr/bin/env bash
# A store with the S3 API on this machine's loopback: OpenStack Swift, a process each for accounts, containers, objects and
# the proxy, for whoever calls this: no root is needed.
#   object_store.sh start DIR [PORT]  prints the address of a bucket, http://127.0.0.1:PORT/recordings, which DIR/address has,
#                                     too; its key is in DIR/key. What was in DIR is there again. PORT is a free one else.
#   object_store.sh stop DIR          ends it; what it has stays in DIR
#   object_store.sh kill DIR          the same by -9
# Swift is installed with pip into .build/object-store the first time; where SWIFT=debian it is Debian's (swift-proxy
# swift-account swift-container swift-object). DIR has to be on a file system with attributes of users (xattr).
# Where it cannot be had, a sentence says why, and the status is 69.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/scripts/lib/packages.sh"
. "$root/scripts/lib/store_engine.sh"

# What it was tried with; others of its modules come as they are needed.
modules=(swift==2.38.3 eventlet==0.41.3 lxml==6.1.3 PasteDeploy==3.1.0 pyeclib==1.8.0 xattr==1.3.0)
# How often it is asked whether it is there: on an idle machine that takes two seconds.
patience=600
account=robot user=uploader secret=secret bucket=recordings

# have_swift: sets `python`.
have_swift() {
  if [ "${SWIFT:-pip}" = debian ]; then
    need_packages swift-proxy swift-account swift-container swift-object curl || cannot "Debian's Swift is not installed"
    python=/usr/bin/python3
    return
  fi
  local venv=$root/.build/object-store
  python=$venv/bin/python
  if [ "$(cat "$venv/modules" 2>/dev/null)" != "${modules[*]}" ]; then
    rm -rf "$venv"
    python3 -c 'import venv, ensurepip' 2>/dev/null || need_packages python3-venv || cannot "python3 has no venv"
    echo "installing ${modules[0]} into $venv" >&2
    if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check "${modules[@]}"; } >&2; then
      rm -rf "$venv"
      cannot "pip could not install ${modules[0]}"
    fi
    echo "${modules[*]}" >"$venv/modules"
  fi
}

# configure DIR PORT ACCOUNT CONTAINER OBJECT: four ports
configure() {
  local dir=$1 port=$2 kind own
  shift 2
  mkdir -p "$dir/srv/disk" "$dir/log"
  cat >"$dir/swift.conf" <<CONF
[swift-hash]
swift_hash_path_suffix = footage
swift_hash_path_prefix = test
[storage-policy:0]
name = one
default = yes
CONF
  for kind in account container object; do
    own=$1
    shift
    cat >"$dir/$kind.conf" <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $own
workers = 0
swift_dir = $dir
devices = $dir/srv
mount_check = false
disable_fallocate = true
log_level = WARNING
[pipeline:main]
pipeline = $kind-server
[app:$kind-server]
use = egg:swift#$kind
recon_cache_path = $dir
CONF
  done
  cat >"$dir/proxy.conf" <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
workers = 0
swift_dir = $dir
log_level = WARNING
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth copy slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_${account}_$user = $secret .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
CONF
}

start() {
  local dir port ports kind tries
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  have_swift
  read -ra ports < <(free_ports 4)
  port=${2:-${ports[3]}}
  configure "$dir" "$port" "${ports[@]:0:3}"
  "$python" -W ignore "$root/scripts/tools/stores/object_store.py" "$dir" rings "${ports[@]:0:3}" >"$dir/log/rings" 2>&1
  make_key "$dir" "$account:$user" "$secret"
  : >"$dir/pids"
  for kind in account container object proxy; do
    "$python" -W ignore "$root/scripts/tools/stores/object_store.py" "$dir" "$kind" >"$dir/log/$kind" 2>&1 </dev/null &
    echo $! >>"$dir/pids"
  done
  for tries in $(seq "$patience"); do
    curl -sf --noproxy '*' -o /dev/null "http://127.0.0.1:$port/healthcheck" &&
      python3 -B "$root/scripts/tools" stores.make_bucket "http://127.0.0.1:$port/$bucket" "$dir/key" 2>"$dir/log/bucket" && break
    if [ "$tries" = "$patience" ]; then
      end "$dir" -TERM
      cannot "Swift does not start: see $dir/log"
    fi
    sleep 0.1
  done
  echo "http://127.0.0.1:$port/$bucket" | tee "$dir/address"
}

command_of object_store.sh "$@"
