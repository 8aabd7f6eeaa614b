#!/usr/bin/env bash
# Makes the documentation of FootageClient in .build/docs, and fails where a link or a parameter in it leads nowhere.
# Looked at with any web server: python3 -m http.server --directory .build/docs, then /documentation/footageclient/
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

need_swift libssl-dev libsqlite3-dev
export FOOTAGE_STRICT=1
built=$(build_for_tests .build/tests --target FootageClient)
maps=.build/tests/out/Intermediates.noindex/GeneratedModuleMaps-linux
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT

# What an app sees is also of modules that come with `import FootageClient`.
swift symbolgraph-extract -module-name FootageClient -target "$(uname -m)-unknown-linux-gnu" -I "$built" \
  -Xcc "-fmodule-map-file=$maps/CFootageLinux.modulemap" -Xcc "-fmodule-map-file=$maps/CFootageOpenSSLStart.modulemap" \
  -Xcc -fmodule-map-file=Sources/CFootageOpenSSL/module.modulemap -Xcc -fmodule-map-file=Sources/CFootageSQLite/module.modulemap \
  -minimum-access-level public -skip-synthesized-members -experimental-allowed-reexported-modules=FootageAPI,FootageBase,FootageCore \
  -output-dir "$graphs"
docc convert Sources/FootageClient/FootageClient.docc --additional-symbol-graph-dir "$graphs" \
  --fallback-display-name FootageClient --fallback-bundle-identifier footage.client --warnings-as-errors \
  --output-dir .build/docs
