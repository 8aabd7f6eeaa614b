// swift-tools-version: 6.3
// Copyright the Footage authors. Licensed under the Apache License, Version 2.0: see LICENSE.

import PackageDescription

/// The same strict settings as in the product's own package.
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

/// Returns a module of the product, compiled as if for Apple's platforms. `Product` is a link to the product's
/// `Sources`.
///
/// - Parameters:
///   - frameworks: Apple's frameworks that the module imports. Since they are named here, they are always built first.
///   - others: the folders of other platforms, which are excluded.
func product(
  _ name: String, _ dependencies: [Target.Dependency] = [], on frameworks: [Target.Dependency] = [],
  without others: [String] = [], _ more: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies + frameworks, path: "Product/\(name)",
    exclude: others + (excluded[name] ?? []), swiftSettings: strict + more)
}

let excluded: [String: [String]] = [
  "FootageClient": ["FootageClient.docc", "Foundation/PrivacyInfo.xcprivacy"]
]

/// Returns a stand-in for one of Apple's modules: its declarations, and an implementation that behaves like it.
func framework(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Stubs/\(name)",
    swiftSettings: [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault")])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strictTests)
}

/// Returns a target of the product's own tests. `Shared` has links to them.
func shared(_ name: String, _ dependencies: [Target.Dependency], on frameworks: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies + frameworks + ["TestSupport"], path: "Shared/\(name)",
    swiftSettings: strictTests)
}

let package = Package(
  name: "apple-platform",
  targets: [
    // The modules that the fakes are built on.
    .target(name: "CFootageLinux", path: "Product/CFootageLinux"),
    .target(name: "CDarwin", path: "Stubs/CDarwin"),
    .systemLibrary(name: "CFootageOpenSSL", path: "Product/CFootageOpenSSL", pkgConfig: "openssl"),
    .systemLibrary(name: "CFootageSQLite", path: "Product/CFootageSQLite"),

    // Apple's modules. A target that tests for one with `canImport` must depend on it, or else the build order would
    // decide.
    framework("Darwin", ["CDarwin", "CFootageLinux"]),
    framework("CryptoKit", ["CFootageOpenSSL"]),
    framework("Security", ["CFootageOpenSSL"]),
    framework("Network", ["CFootageOpenSSL", "Security"]),
    framework("CoreGraphics"),
    framework("_Testing_CoreGraphics"),
    framework("CoreMedia"),
    framework("AVFoundation", ["CoreGraphics", "CoreMedia"]),
    framework("UniformTypeIdentifiers"),
    framework("BackgroundTasks"),
    framework("SwiftUI", ["CoreGraphics", "UniformTypeIdentifiers"]),
    framework("AVKit", ["AVFoundation", "SwiftUI"]),

    // The product.
    // Written by scripts/tools/check/apple_manifest.py, from here
    product("FootageBase", [], [.enableExperimentalFeature("Lifetimes")]),
    product("FootageDigest", [], on: ["CryptoKit"], without: ["Linux"]),
    product("FootageAPI", ["FootageBase", "FootageDigest"]),
    product("FootageHTTP", ["FootageBase"]),
    product("FootageSystem", ["CFootageSQLite", "FootageBase"], on: ["Darwin"], without: ["Linux"]),
    product(
      "FootageFetching", ["FootageAPI", "FootageBase", "FootageDigest", "FootageHTTP", "FootageSystem"],
      on: ["Network", "Security"], without: ["Linux"]),
    product("FootageMedia", ["FootageBase"]),
    product(
      "FootageCore",
      [
        "FootageAPI", "FootageBase", "FootageDigest", "FootageFetching", "FootageHTTP", "FootageMedia", "FootageSystem",
      ], on: ["Network"], without: ["Linux"]),
    product("FootageClient", ["FootageCore"], on: ["AVFoundation", "CoreGraphics", "CoreMedia", "Darwin"]),
    product("FootageAnswers", ["FootageAPI", "FootageBase", "FootageDigest", "FootageHTTP"]),
    product(
      "FootageClientTesting",
      ["FootageAnswers", "FootageAPI", "FootageBase", "FootageCore", "FootageHTTP", "FootageMedia", "FootageSystem"]),
    // to here.

    // An app, built as any app is built.
    .executableTarget(
      name: "Viewer",
      dependencies: ["AVFoundation", "AVKit", "FootageClient", "SwiftUI", "UniformTypeIdentifiers"], path: "Example",
      exclude: ["Info.plist"],
      packageAccess: false, swiftSettings: [.treatAllWarnings(as: .error)]),

    .target(
      name: "ArticleExamples", dependencies: ["AVFoundation", "AVKit", "BackgroundTasks", "FootageClient", "SwiftUI"],
      path: "Documentation", packageAccess: false, swiftSettings: [.treatAllWarnings(as: .error)]),

    // The part of the product's test support that needs none of Linux's modules.
    .target(
      name: "TestSupport", dependencies: ["FootageBase"], path: "Kit/TestSupport",
      exclude: ["JSONValue+Literals.swift"],
      swiftSettings: strictTests),
    .target(
      name: "LinuxTestSupport", dependencies: ["CFootageOpenSSL", "FootageDigest", "FootageBase", "TestSupport"],
      path: "Kit/LinuxTestSupport",
      exclude: ["Files/RecordedFile.swift", "Network/FarLink.swift", "Network/SocketPair.swift"],
      swiftSettings: strictTests),

    // The product's own tests that run on a Mac, for the modules that differ there.
    shared("FootageDigestTests", ["FootageBase", "FootageDigest"]),
    shared("FootageSystemTests", ["FootageBase", "FootageSystem"], on: ["Darwin"]),
    shared("FoundationTests", ["FootageClient"]),

    // All tests, in one program: SwiftPM's own runner would take this machine for a Mac.
    tests(
      "FetchingTests",
      [
        "CFootageOpenSSL", "FootageAPI", "FootageBase", "FootageDigest", "FootageFetching", "FootageHTTP",
        "FootageSystem", "LinuxTestSupport", "Network", "Security",
      ]),
    tests("DarwinTests", ["Darwin", "FootageBase", "FootageCore", "FootageDigest", "FootageSystem", "TestSupport"]),
    tests("ClientTests", ["FootageCore", "FootageFetching", "FootageHTTP", "LinuxTestSupport"]),
    tests("DiscoveryTests", ["FootageCore", "Network", "LinuxTestSupport"]),
    tests("LoopbackTests", ["FootageClientTesting", "FootageCore", "Network", "LinuxTestSupport"]),
    tests(
      "PlayerTests",
      [
        "AVFoundation", "CoreMedia", "FootageClient", "FootageClientTesting", "FootageCore", "_Testing_CoreGraphics",
      ]),
    tests(
      "RobotAppTests",
      ["AVFoundation", "CoreMedia", "FootageClient", "FootageCore", "LinuxTestSupport", "_Testing_CoreGraphics"]),
    .executableTarget(
      name: "apple-tests",
      dependencies: [
        "ClientTests", "DarwinTests", "DiscoveryTests", "FetchingTests", "FootageClient", "FootageDigestTests",
        "FootageSystemTests", "FoundationTests", "LoopbackTests", "PlayerTests", "RobotAppTests",
      ], path: "Tests/Runner", swiftSettings: strictTests),
  ]
)
