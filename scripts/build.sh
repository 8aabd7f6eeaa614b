#!/usr/bin/env bash
# Builds the program as it is installed on a robot, .build/release/footage: optimised, without the need for a Swift runtime
# beside it, and with the commit that `footage --version` shows. Options are handed to `swift build`.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

need_swift libssl-dev libsqlite3-dev
name_commit
program=$(built_program --static-swift-stdlib "$@")
# .build/release is a link of SwiftPM's older build system, where that has built here.
mkdir -p .build
[ -d .build/release ] || { rm -f .build/release && mkdir .build/release; }
# A new file: the one that is there may be running.
cp "$program" .build/release/footage.new
mv .build/release/footage.new .build/release/footage
