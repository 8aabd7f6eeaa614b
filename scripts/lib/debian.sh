# shellcheck shell=bash
# Debian's packages for other releases and processors than this machine's, from wherever this machine gets its own.

debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# debian_mirror: prints the first one of apt's sources; 1 where they name none, or its signatures could not be checked.
debian_mirror() {
  local mirror
  mirror=$(awk '/^URIs:/ { print $2; exit } /^deb / { for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) { print $i; exit } }' \
    /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list /etc/apt/sources.list 2>/dev/null || true)
  if [ -z "$mirror" ]; then
    echo "apt's sources name no mirror" >&2
    return 1
  fi
  if [ ! -r "$debian_keyring" ]; then
    echo "$debian_keyring is missing: install debian-archive-keyring" >&2
    return 1
  fi
  echo "$mirror"
}

# debian_download FOLDER RELEASE ARCHITECTURE PACKAGE...: into FOLDER/packages, by an apt of its own, which knows that
# release's packages for that processor alone. No right is needed for it, and nothing is installed.
debian_download() {
  local folder=$1 release=$2 arch=$3 mirror
  shift 3
  mirror=$(debian_mirror) || return 1
  mkdir -p "$folder"/{lists/partial,cache/archives/partial,packages}
  echo "deb [signed-by=$debian_keyring arch=$arch] $mirror $release main" >"$folder/sources.list"
  cat >"$folder/apt.conf" <<CONF
Dir::State::Lists "$folder/lists";
Dir::Cache "$folder/cache";
Dir::Etc::SourceList "$folder/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Status "/dev/null";
APT::Architectures "$arch";
APT::Architecture "$arch";
Acquire::Languages "none";
APT::Sandbox::User "root";
CONF
  APT_CONFIG=$folder/apt.conf apt-get -qq update >&2 || return 1
  (cd "$folder/packages" && APT_CONFIG=$folder/apt.conf apt-get -qq download "${@/%/:$arch}" >&2)
}
