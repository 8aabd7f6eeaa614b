#!/usr/bin/env bash
# What takes hours: scripts/test.sh --soak calls it, after everything that a release has to pass.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/guards.sh

# What takes long in tests was run by the suite.
unset FOOTAGE_SOAK
guard scripts/check-compatibility.sh --soak
guard scripts/check-busy.sh
guard scripts/check-store-kills.sh
guard scripts/bench.sh stalled pacing retention views
guard scripts/fuzz.sh 300
end_guards
