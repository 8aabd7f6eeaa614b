// swift-tools-version: 6.3
// Copyright the Footage authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// An app as its developer has it. scripts/check-dependency.sh copies it out of the tree, writes the location of Footage
// into the first line of the dependencies, builds the app and runs it.

import PackageDescription

let package = Package(
  name: "App",
  dependencies: [
    .package(path: "../footage"),
    .package(path: "../Neighbors"),
  ],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [
        .product(name: "FootageClient", package: "footage"),
        .product(name: "FootageClientTesting", package: "footage"),
        .product(name: "Neighbors", package: "Neighbors"),
      ])
  ]
)
