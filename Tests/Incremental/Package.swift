// swift-tools-version: 6.3
// Copyright the Footage authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// The package that scripts/check-incremental.sh builds, changes and builds again.

import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
  name: "incremental",
  targets: [
    .target(name: "CName", exclude: ["name.txt"]),
    .target(name: "Inner", dependencies: ["CName"], swiftSettings: settings),
    .target(name: "Outer", dependencies: ["Inner"], swiftSettings: settings),
    // It contains the layout of Inner's structure, and imports only Outer.
    .executableTarget(name: "Program", dependencies: ["Outer"], swiftSettings: settings),
  ])
