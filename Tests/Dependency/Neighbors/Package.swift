// swift-tools-version: 6.3
// Copyright the Footage authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Another package of the app. Footage must not have targets with the names of these targets: target names are unique in
// a package graph, and a module of Footage would hide the module of that name that the app means.

import PackageDescription

let package = Package(
  name: "Neighbors",
  products: [.library(name: "Neighbors", targets: ["SQLite", "System"])],
  targets: [
    // The name of the target in stephencelis/SQLite.swift.
    .target(name: "SQLite"),
    // Stands in for the module in Apple's SDKs.
    .target(name: "System"),
  ]
)
