#!/usr/bin/env bash
# Holds the list of the modules that may import a library of the system. The list can only become shorter: a module that is
# not in it may not begin to, and one that no longer does goes from it.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=no

# only_in LIBRARIES MODULE…: each library by a name, with | between them.
only_in() {
  local libraries=$1 module importing
  shift
  importing=$(grep -rlE --include='*.swift' \
    "^ *(@[A-Za-z_]+ )*((public|package|internal|fileprivate|private) )?import ([a-z]+ )?($libraries)([. ]|\$)" Sources |
    cut -d / -f 2 | sort -u)
  for module in $importing; do
    case " $* " in *" $module "*) continue ;; esac
    echo "check-imports: $module imports $libraries, which only $* may import: use FootageSystem instead" >&2
    failed=yes
  done
  for module in "$@"; do
    grep -qx "$module" <<<"$importing" && continue
    echo "check-imports: $module no longer imports $libraries: remove it from the list in scripts/check-imports.sh" >&2
    failed=yes
  done
}

only_in 'Glibc|Musl|Darwin|CFootageLinux' FootageSystem
only_in 'CFootageOpenSSL' FootageTLS FootageDigest
only_in 'CFootageSQLite' FootageSystem
only_in 'Foundation|FoundationEssentials' FootageClient FootageFetching FootageCore
only_in 'AVFoundation|CoreMedia|CoreGraphics' FootageClient
only_in 'Network|Security' FootageFetching FootageCore
only_in 'CryptoKit' FootageDigest

[ "$failed" = no ]
