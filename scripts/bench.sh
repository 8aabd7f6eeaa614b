#!/usr/bin/env bash
# Measures what Footage costs, beside others where there are any: scripts/bench.sh [--record] [--quick] [--rounds N] [--folder FOLDER] NAME…
#
# `scripts/bench.sh --help` lists the names; `all` takes about forty minutes after the build. Tables go to standard output, the rest
# to standard error; 1 where a goal is missed. With --record the results are written down in Documentation/benchmarks, and
# Documentation/benchmarks.md is made from them. What it makes lies in a folder of its own within FOLDER, $TMPDIR or /tmp, which should
# be on a disk with 12 GiB free, and is removed. Servers listen on 127.0.0.1, and in network namespaces for what a far link shows,
# which is left out with a word where this is not root, or the kernel makes none.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

need_packages python3
case " $* " in
  *" --help "* | *" -h "*) tool bench.measure --help; exit ;;
esac
needed=$(tool bench.measure --packages "$@")
read -ra needed <<<"$needed"
need_swift libssl-dev libsqlite3-dev openssl python3 "${needed[@]}"
case " $* " in
  *" fleet "* | *" all "*) FOOTAGE_BENCH=1 swift_build -c release --product FleetBenchmark >&2 ;;
esac
footage=$(built_program)
tool bench.measure --footage "$footage" "$@"
