# shellcheck shell=bash
# What the scripts have in common: Debian packages that are installed when they are missing.

# need_packages NAME…: installs those that are not there, as root, or with sudo where it asks nothing.
need_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      echo "missing: ${missing[*]}. Install them: sudo apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo -n)
  fi
  echo "installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

need_swift() {
  command -v swift >/dev/null && return 0
  echo "there is no 'swift' on the PATH: Footage needs the Swift toolchain 6.3 or later (https://www.swift.org/install)" >&2
  return 1
}
