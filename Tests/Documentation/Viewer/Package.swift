// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Viewer",
  dependencies: [
    .package(path: "../footage")
  ],
  targets: [
    .executableTarget(
      name: "Viewer",
      dependencies: [.product(name: "FootageClient", package: "footage")])
  ]
)
