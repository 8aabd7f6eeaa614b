#!/usr/bin/env bash
# Checks what apps use as for Apple's platforms, where there is no Mac: Tests/ApplePlatform/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh
export FOOTAGE_STRICT=1

need_swift libssl-dev libsqlite3-dev ffmpeg python3

# The same modules as the product's.
tool check.apple_manifest --check
# What a Mac would have of the package.
tool check.mac_manifest
# For the lowest versions, by what the toolchain knows of them.
tool check.minimum

# Against stand-ins for Apple's modules.
apple=(--package-path Tests/ApplePlatform --scratch-path .build/apple-platform)
swift_build "${apple[@]}"
# The robot that some of the tests ask.
FOOTAGE_BINARY=$(built_program)
export FOOTAGE_BINARY
tests=$(swift_build "${apple[@]}" --show-bin-path)/apple-tests
# What is asked of the disk is counted for the whole process: nobody else writes meanwhile.
"$tests" --skip '^DarwinTests\.'
"$tests" --filter '^DarwinTests\.'
