# shellcheck shell=bash
# Debian's packages for other releases and processors than this machine's, from wherever this machine gets its own.

debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# debian_mirror [security]: prints the first one of apt's sources, or the first one that has security's suites, and nothing
# where they name none.
debian_mirror() {
  cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list /etc/apt/sources.list 2>/dev/null |
    awk -v wanted="${1:-any}" '
      function found(mirror, suites) {
        if (mirror == "" || (suites ~ /-security|\/updates/) != (wanted == "security")) return
        print mirror
        exit
      }
      /^URIs:/ { mirror = $2 }
      /^Suites:/ { found(mirror, $0) }
      /^deb / { for (i = 2; i < NF; i++) if ($i ~ /:\/\//) found($i, $(i + 1)) }'
}

# debian_sources RELEASE [ARCHITECTURE]: prints lines for apt.
debian_sources() {
  local mirror security options="signed-by=$debian_keyring${2:+ arch=$2}"
  mirror=$(debian_mirror)
  if [ -z "$mirror" ]; then
    echo "apt's sources name no mirror" >&2
    return 1
  fi
  if [ ! -r "$debian_keyring" ]; then
    echo "$debian_keyring is missing: install debian-archive-keyring" >&2
    return 1
  fi
  echo "deb [$options] $mirror $1 main"
  security=$(debian_mirror security)
  [ "$1" = sid ] || [ -z "$security" ] || echo "deb [$options] $security $1-security main"
}

# debian_download FOLDER RELEASE ARCHITECTURE PACKAGE...: into FOLDER/packages, by an apt of its own, which knows that
# release's packages for that processor alone. No right is needed for it, and nothing is installed. The result is 2 where that
# release has no package of a name, and 1 where something cannot be fetched.
debian_download() {
  local folder=$1 release=$2 arch=$3
  shift 3
  mkdir -p "$folder"/{lists/partial,cache/archives/partial,packages}
  debian_sources "$release" "$arch" >"$folder/sources.list" || return 1
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
  (cd "$folder/packages" && APT_CONFIG=$folder/apt.conf apt-get -qq download --print-uris "${@/%/:$arch}" >/dev/null) || return 2
  (cd "$folder/packages" && APT_CONFIG=$folder/apt.conf apt-get -qq download "${@/%/:$arch}" >&2)
}
