#!/usr/bin/env bash
# What a release has to pass beside the suite; scripts/test.sh --release calls it. Whatever cannot be tried on a machine is a
# failure here.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/guards.sh

export FOOTAGE_RELEASE=1
guard scripts/check-ships.sh --all
guard scripts/package.sh
for release in bookworm trixie; do
  guard scripts/check-package.sh --release "$release"
  guard scripts/check-first-picture.sh --release "$release"
done
guard scripts/check-package-arm64.sh
guard scripts/check-image.sh
guard scripts/check-compatibility.sh
guard scripts/check-old-certs.sh
guard scripts/check-site-ca.sh
guard scripts/check-stores.sh debian ceph
guard scripts/check-views.sh
guard scripts/check-mse.sh
guard scripts/check-page.sh
guard scripts/check-browsers.sh
end_guards
