// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Viewer",
  dependencies: [
    .package(url: "https://git.example.com/footage.git", from: "0.9.0")
  ],
  targets: [
    .executableTarget(
      name: "Viewer",
      dependencies: [.product(name: "FootageClient", package: "footage")])
  ]
)
