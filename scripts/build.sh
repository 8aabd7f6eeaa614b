#!/usr/bin/env bash
# Builds the program as it is installed on a robot, .build/release/footage: optimised, without the need for a Swift runtime
# beside it, and with the commit that `footage --version` shows. Options are handed to `swift build`.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

need_swift libssl-dev libsqlite3-dev
name_commit
swift build -c release --product footage --static-swift-stdlib "$@"
