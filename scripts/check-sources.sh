#!/usr/bin/env bash
# Checks what needs no build: shell scripts, module graph, links of the pages, comments, imports, format, and what of the page
# needs no browser.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/packages.sh

shellcheck -x scripts/*.sh scripts/lib/*.sh scripts/gen-certs/*.sh scripts/lib/swift-tool scripts/boot/*.sh scripts/package/{prepare,switch,origins,postinst,prerm,postrm} .ci/run
tool check.graph
tool check.pages
tool bench.report --check
tool check.comments
scripts/check-imports.sh
swift format lint --strict --parallel --recursive Package.swift Sources Tests
node --experimental-default-type=module --test Tests/PageModules/*.test.js
