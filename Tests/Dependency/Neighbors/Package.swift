// swift-tools-version: 6.3
// Copyright the Footage authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Another package of the app. Its targets have names that targets of Footage must not have: target names are unique in a
// package graph, and a module of Footage would hide the one of that name that the app means.

import PackageDescription

let package = Package(
  name: "Neighbors",
  products: [.library(name: "Neighbors", targets: ["SQLite", "System"])],
  targets: [
    // As stephencelis/SQLite.swift has it.
    .target(name: "SQLite"),
    // Stands in for the module of Apple's SDKs.
    .target(name: "System"),
  ]
)
