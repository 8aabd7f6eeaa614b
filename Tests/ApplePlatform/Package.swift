// swift-tools-version: 6.3
// Copyright the Footage authors. Licensed under the Apache License, Version 2.0: see LICENSE.

import PackageDescription

/// As in the product's own package.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let strictTests: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A module of the product, compiled as for Apple's platforms. `Product` is a link to the product's `Sources`.
///
/// - Parameter frameworks: Apple's that it asks for by `canImport`: named here, they are always built before it.
func product(
  _ name: String, _ dependencies: [Target.Dependency] = [], on frameworks: [Target.Dependency] = [],
  _ more: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies + frameworks, path: "Product/\(name)", exclude: excluded[name] ?? [],
    swiftSettings: strict + more)
}

let excluded: [String: [String]] = [
  "FootageClient": ["FootageClient.docc"], "FootageFoundation": ["PrivacyInfo.xcprivacy"],
]

/// A module of Apple's: its declarations, and behind them what behaves like it.
func framework(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Stubs/\(name)",
    swiftSettings: [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault")])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strictTests)
}

/// A target of the product's own tests. `Shared` has links to them.
func shared(_ name: String, _ dependencies: [Target.Dependency], on frameworks: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies + frameworks + ["TestSupport"], path: "Shared/\(name)",
    swiftSettings: strictTests)
}

let package = Package(
  name: "apple-platform",
  targets: [
    // What the fakes are made of.
    .target(name: "CLinux", path: "Product/CLinux"),
    .target(name: "CDarwin", path: "Stubs/CDarwin"),
    .systemLibrary(name: "COpenSSL", path: "Product/COpenSSL", pkgConfig: "openssl"),
    .systemLibrary(name: "CFootageSQLite", path: "Product/CFootageSQLite"),

    // Apple's modules. Whoever asks for one by `canImport` has to depend on it, lest the order of the build decide.
    framework("Darwin", ["CDarwin", "CLinux"]),
    framework("CryptoKit", ["COpenSSL"]),
    framework("Security", ["COpenSSL"]),
    framework("Network", ["COpenSSL", "Security"]),
    framework("CoreGraphics"),
    framework("_Testing_CoreGraphics"),
    framework("CoreMedia"),
    framework("AVFoundation", ["CoreGraphics", "CoreMedia"]),
    framework("UniformTypeIdentifiers"),
    framework("BackgroundTasks"),
    framework("SwiftUI", ["CoreGraphics", "UniformTypeIdentifiers"]),
    framework("AVKit", ["AVFoundation", "SwiftUI"]),

    // The product.
    product("Formats", [], [.enableExperimentalFeature("Lifetimes")]),
    product("HTTPSemantics", ["Formats"]),
    product("Trust", ["Formats"]),
    product("FootageAPI", ["Digest", "Formats", "Trust"]),
    product("Digest", on: ["CryptoKit"]),
    product("FootageSystem", on: ["Darwin"]),
    product("Storage", ["Formats", "FootageSystem"], on: ["Darwin"]),
    product("FootageSQLite", ["CFootageSQLite"], on: ["Darwin"]),
    product("ISOMedia", ["Formats"]),
    product(
      "FootageCore",
      ["Digest", "FootageAPI", "Formats", "ISOMedia", "FootageSQLite", "Storage", "FootageSystem", "Trust"],
      on: ["Darwin"]),

    product("HTTPFetching", ["Formats", "HTTPSemantics", "FootageSystem", "Trust"], on: ["Darwin"]),
    product(
      "ObjectStore", ["Digest", "Formats", "HTTPFetching", "HTTPSemantics", "FootageSystem", "Trust"], on: ["Darwin"]),
    product(
      "AppleNetworking", ["Digest", "Formats", "HTTPFetching", "FootageSystem", "Trust"],
      on: ["Darwin", "Network", "Security"]),
    product(
      "FootageTransport", ["AppleNetworking", "FootageCore", "HTTPFetching", "HTTPSemantics", "FootageSystem"],
      on: ["Darwin", "Network", "Security"]),
    product("HTTPTransport", ["Formats", "HTTPSemantics"], on: ["Darwin"]),
    product(
      "FootageLoopback",
      ["AppleNetworking", "FootageCore", "Formats", "HTTPFetching", "HTTPSemantics", "HTTPTransport", "FootageSystem"],
      on: ["Darwin", "Network"]),
    product("FootageFoundation", ["FootageCore", "FootageLoopback", "FootageObservation"], on: ["Darwin"]),
    product(
      "FootageAVFoundation", ["FootageCore", "FootageLoopback"], on: ["AVFoundation", "CoreGraphics", "CoreMedia"]),
    product("FootageDiscovery", ["FootageCore", "FootageSystem"], on: ["Darwin", "Network"]),
    product(
      "FootageClient",
      [
        "FootageAVFoundation", "FootageCore", "FootageDiscovery", "FootageFoundation", "FootageLoopback",
        "FootageObservation", "FootageTransport",
      ]),
    product("FootageObservation", ["FootageCore"]),
    product(
      "FootageClientTesting",
      ["FootageAPI", "FootageCore", "Formats", "ISOMedia", "FootageSQLite", "Storage", "FootageSystem"],
      on: ["Darwin"]),

    // An app, as an app is built.
    .executableTarget(
      name: "Viewer",
      dependencies: ["AVFoundation", "AVKit", "FootageClient", "SwiftUI", "UniformTypeIdentifiers"], path: "Example",
      exclude: ["Info.plist"],
      packageAccess: false, swiftSettings: [.treatAllWarnings(as: .error)]),

    .target(
      name: "ArticleExamples", dependencies: ["AVFoundation", "AVKit", "BackgroundTasks", "FootageClient", "SwiftUI"],
      path: "Documentation", packageAccess: false, swiftSettings: [.treatAllWarnings(as: .error)]),

    // The product's kit for tests, as far as it needs none of Linux's modules.
    .target(
      name: "TestSupport", dependencies: ["Formats"], path: "Kit/TestSupport", exclude: ["JSONValue+Literals.swift"],
      swiftSettings: strictTests),
    .target(
      name: "LinuxTestSupport", dependencies: ["COpenSSL", "Digest", "Formats", "TestSupport"],
      path: "Kit/LinuxTestSupport",
      exclude: ["Files/RecordedFile.swift", "Network/FarLink.swift", "Network/SocketPair.swift"],
      swiftSettings: strictTests),

    // The product's own tests that a Mac runs, of the modules that are different there.
    shared("DigestTests", ["Digest", "Formats"]),
    shared("FootageFoundationTests", ["FootageClient", "FootageFoundation"]),
    shared("FootageSQLiteTests", ["FootageSQLite"]),
    shared("FootageSystemTests", ["FootageSystem"], on: ["Darwin"]),
    shared("StorageTests", ["Formats", "FootageSystem", "Storage"], on: ["Darwin"]),

    // What is tried, in one program: SwiftPM's own takes this for a Mac.
    tests(
      "AppleNetworkingTests",
      [
        "AppleNetworking", "COpenSSL", "Digest", "Formats", "HTTPFetching", "HTTPSemantics", "Network", "Security",
        "FootageSystem", "LinuxTestSupport", "Trust",
      ]),
    tests(
      "DarwinTests",
      ["Darwin", "Digest", "FootageCore", "Formats", "FootageSQLite", "Storage", "FootageSystem", "TestSupport"]),
    tests(
      "ClientTests",
      ["FootageCore", "FootageLoopback", "FootageTransport", "HTTPFetching", "HTTPTransport", "LinuxTestSupport"]),
    tests("DiscoveryTests", ["FootageCore", "FootageDiscovery", "Network", "LinuxTestSupport"]),
    tests("LoopbackTests", ["FootageClientTesting", "FootageCore", "FootageLoopback", "Network", "LinuxTestSupport"]),
    tests(
      "PlayerTests",
      [
        "AVFoundation", "CoreMedia", "FootageAVFoundation", "FootageClientTesting", "FootageCore",
        "_Testing_CoreGraphics",
      ]),
    tests(
      "RobotAppTests",
      [
        "AVFoundation", "CoreMedia", "FootageAVFoundation", "FootageCore", "FootageFoundation", "FootageTransport",
        "LinuxTestSupport", "_Testing_CoreGraphics",
      ]),
    .executableTarget(
      name: "apple-tests",
      dependencies: [
        "AppleNetworkingTests", "ClientTests", "DarwinTests", "DigestTests", "DiscoveryTests", "FootageClient",
        "FootageFoundationTests", "FootageObservation", "FootageSQLiteTests", "FootageSystemTests", "LoopbackTests",
        "PlayerTests", "RobotAppTests", "StorageTests",
      ], path: "Tests/Runner", swiftSettings: strictTests),
  ]
)
