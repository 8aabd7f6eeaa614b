#!/usr/bin/env bash
# Compiles what apps use as for Apple's platforms, against stand-ins for Apple's modules, and runs its tests:
# Tests/ApplePlatform/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --package-path Tests/ApplePlatform --scratch-path .build/apple-platform
# The robot that some of them ask.
swift build --product footage
FOOTAGE_BINARY=$(swift build --show-bin-path)/footage
export FOOTAGE_BINARY
# What is asked of the disk is counted for the whole process: nobody else writes meanwhile.
.build/apple-platform/debug/apple-tests --skip '^DarwinTests\.'
.build/apple-platform/debug/apple-tests --filter '^DarwinTests\.'
