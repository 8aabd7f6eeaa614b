// swift-tools-version: 6.3
// Copyright the Footage authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// What scripts/check-incremental.sh builds, changes and builds again.

import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
  name: "incremental",
  targets: [
    .target(name: "CName", exclude: ["name.txt"]),
    .target(name: "Inner", dependencies: ["CName"], swiftSettings: settings),
    .target(name: "Outer", dependencies: ["Inner"], swiftSettings: settings),
    // It has the layout of Inner's structure in it, and imports Outer alone.
    .executableTarget(name: "Program", dependencies: ["Outer"], swiftSettings: settings),
  ])
