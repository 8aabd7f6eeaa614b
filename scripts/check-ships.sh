#!/usr/bin/env bash
# Guards what ships and is not built by scripts/test.sh: incremental builds, arm64, the package as a dependency (--all: in every way),
# Apple's platforms, and the documentation. An app's library is tried against $FOOTAGE_BINARY, or what is built.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/guards.sh

export FOOTAGE_STRICT=1
guard scripts/check-incremental.sh
guard scripts/check-arm64.sh
guard scripts/check-dependency.sh "$@"
guard scripts/check-apple.sh
guard scripts/docs.sh
end_guards
