#!/usr/bin/env bash
# What a release has to pass beside the suite; scripts/test.sh --release calls it. Whatever cannot be tried on a machine is a
# failure here.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh
. scripts/lib/guards.sh

export FOOTAGE_RELEASE=1 FOOTAGE_STRICT=1
# What the suite has tried is enough of a program for all but the packages, which bring their own.
FOOTAGE_BINARY=$(build_for_tests .build/tests --build-tests)/footage
export FOOTAGE_BINARY

trap end_asides EXIT
aside scripts/package.sh
aside scripts/check-ships.sh --all
guard scripts/bench.sh page
guard scripts/check-views.sh
guard scripts/check-media.sh --play 40
guard scripts/bench.sh mse
guard scripts/check-browsers.sh
guard scripts/check-old-certs.sh
guard scripts/check-site-ca.sh
guard scripts/check-stores.sh debian ceph
guard joined scripts/package.sh
for release in bookworm trixie; do
  guard scripts/check-package.sh --release "$release"
  guard scripts/check-first-picture.sh --release "$release"
done
guard scripts/check-package-arm64.sh
guard scripts/check-image.sh
guard scripts/check-compatibility.sh
guard joined scripts/check-ships.sh --all
end_guards
