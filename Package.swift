// swift-tools-version: 6.3
// Copyright the Footage authors. Licensed under the Apache License, Version 2.0: see LICENSE.

import PackageDescription

/// True if warnings are errors and memory safety is strict. The scripts ask for it by `FOOTAGE_STRICT=1`. An app that depends
/// on Footage never does: Xcode silences the warnings of a dependency, and a compiler that is told to silence warnings and to
/// treat them as errors refuses both.
let isStrict = Context.environment["FOOTAGE_STRICT"] == "1"
let proved: [SwiftSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []

/// Every target is built with the same settings.
let settings: [SwiftSetting] =
  proved + (isStrict ? [.strictMemorySafety()] : []) + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]

/// Tests reach for Foundation's `Process` and for raw memory more freely than what ships. What they try is optimised where
/// the scripts build it; their own code is not, and compiles sooner.
let testSettings: [SwiftSetting] =
  proved + (isStrict ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : []) + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]

/// True if the package is built on Linux. The server, its tests and what both stand on are Linux's: on a Mac they are not part of the
/// package, so `swift build` and `swift test` are for what apps use.
#if os(Linux)
let isOnLinux = true
#else
let isOnLinux = false
#endif

/// Not reached by a build for Apple's platforms, where those have something of their own.
func onLinuxAlone(_ names: String...) -> [Target.Dependency] {
  isOnLinux ? names.map { .target(name: $0, condition: .when(platforms: [.linux])) } : []
}

func module(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = [],
  _ more: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: settings + more)
}

/// The privacy manifest, which an app in the App Store brings along. Elsewhere it would only be a folder beside every program.
let privacy: (exclude: [String], resources: [Resource]) =
  isOnLinux ? (["PrivacyInfo.xcprivacy"], []) : ([], [.copy("PrivacyInfo.xcprivacy")])

func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: dependencies, swiftSettings: testSettings)
}

/// They bring no `main`, for libFuzzer has one: only `scripts/fuzz.sh` builds them.
let fuzzers: [Target] =
  Context.environment["FOOTAGE_FUZZ"] == nil
  ? []
  : [
    "Boxes", "Ingest", "Heads", "Tables", "Growing", "Json", "Stored", "Certificates", "Answers", "Manifests",
  ].map {
    .executableTarget(name: "Fuzz\($0)", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/\($0)")
  }

/// Fills an index for `scripts/bench-fleet.sh`, which alone builds it.
let benchmarks: [Target] =
  Context.environment["FOOTAGE_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "FleetBenchmark", dependencies: ["Fleet", "FootageAPI", "Formats", "Trust"], path: "Tests/FleetBenchmark",
      swiftSettings: testSettings)
  ]

/// The commit that the scripts have looked up. `Context.gitInformation` is no help: SwiftPM remembers it together with
/// this file, and would say yesterday's commit.
let commit = (Context.environment["FOOTAGE_COMMIT"] ?? "").filter {
  $0.isASCII && ($0.isLetter || $0.isNumber || "-.+".contains($0))
}

/// What the page is made of: CPage has it.
let pageFiles = [
  "boxes.js", "choice.js", "clip.js", "dom.js", "film.js", "footage.js", "layout.js", "list.js", "page.html", "page.js",
  "pictures.js", "pieces.js", "player.js", "robot.js", "robots.js", "style.css", "time.js", "timeline.js", "words.js",
]

/// What apps use, and its tests: everywhere.
let shared: [Target] = [
  .systemLibrary(name: "CFootageSQLite", providers: [.apt(["libsqlite3-dev"])]),
  // Pure: values and rules, no input or output.
  module("Formats", [], [.enableExperimentalFeature("Lifetimes")]),
  module("HTTPSemantics", ["Formats"]),
  module("Trust", ["Formats"]),
  // What robot and app say to one another.
  module("FootageAPI", ["Digest", "Formats", "Trust"]),
  // Thin wrappers, each the only importer of its library.
  module("Digest", onLinuxAlone("CFootageOpenSSLStart", "COpenSSL")),
  module("FootageSystem", onLinuxAlone("CLinux")),
  module("Storage", ["Formats", "FootageSystem"]),
  module("FootageSQLite", ["CFootageSQLite"]),
  // The same on Apple's platforms, and nothing elsewhere.
  module("AppleNetworking", ["Digest", "Formats", "HTTPFetching", "FootageSystem", "Trust"]),
  // What Footage is made of.
  module("ISOMedia", ["Formats"]),
  // HTTP's client knows no network: connections come by a seam.
  module("HTTPFetching", ["Formats", "HTTPSemantics", "FootageSystem", "Trust"]),
  // Stores with the S3 API: they know no recordings.
  module(
    "ObjectStore", ["Digest", "Formats", "HTTPFetching", "HTTPSemantics", "FootageSystem", "Trust"]),
  module(
    "HTTPTransport",
    ["Formats", "HTTPSemantics"] + onLinuxAlone("HTTPFetching", "Networking", "FootageSystem", "TLS", "Trust")),
  // The app's library: its core knows no network, which comes by two seams.
  module(
    "FootageCore",
    ["Digest", "FootageAPI", "Formats", "ISOMedia", "FootageSQLite", "Storage", "FootageSystem", "Trust"]),
  module(
    "FootageTransport",
    ["AppleNetworking", "FootageCore", "HTTPFetching", "HTTPSemantics", "FootageSystem"]
      + onLinuxAlone("HTTPTransport", "Networking", "TLS")),
  module(
    "FootageLoopback",
    ["AppleNetworking", "FootageCore", "Formats", "HTTPFetching", "HTTPSemantics", "HTTPTransport", "FootageSystem"]
      + onLinuxAlone("Networking")),
  // Robots that say on the network where they are: a browser for each platform.
  module("FootageDiscovery", ["FootageCore", "FootageSystem"]),
  // What apps have from Foundation: dates, URLs, errors in their language.
  module(
    "FootageFoundation", ["FootageCore", "FootageLoopback", "FootageObservation"], exclude: privacy.exclude,
    resources: privacy.resources),
  // What screens are told by Observation.
  module("FootageObservation", ["FootageCore"]),
  // AVPlayer's items. Empty where there is no AVFoundation.
  module("FootageAVFoundation", ["FootageCore", "FootageLoopback"]),
  module(
    "FootageClient",
    [
      "FootageAVFoundation", "FootageCore", "FootageDiscovery", "FootageFoundation", "FootageLoopback",
      "FootageObservation", "FootageTransport",
    ]),
  // A robot in memory, for an app's previews and tests.
  module(
    "FootageClientTesting",
    ["FootageAPI", "FootageCore", "Formats", "ISOMedia", "FootageSQLite", "Storage", "FootageSystem"]),

  tests(of: "Formats", ["Formats", "TestSupport"]),
  tests(of: "Trust", ["Trust", "TestSupport"]),
  tests(
    of: "FootageAPI",
    ["Digest", "FootageAPI", "Formats", "Trust", "TestSupport"] + onLinuxAlone("LinuxTestSupport", "TLS")),
  tests(of: "FootageClientTesting", ["FootageClientTesting", "FootageClient", "TestSupport"]),
  tests(
    of: "FootageObservation", ["FootageObservation", "FootageClient", "FootageClientTesting", "TestSupport"]),
  tests(of: "FootageFoundation", ["FootageFoundation", "FootageClient", "TestSupport"]),
  tests(of: "Digest", ["Digest", "Formats", "TestSupport"]),
  tests(
    of: "FootageSystem",
    ["FootageSystem", "TestSupport"] + onLinuxAlone("ConfinementProbe", "LinuxTestSupport")),
  tests(of: "HTTPSemantics", ["HTTPSemantics", "Formats", "TestSupport"]),
  tests(of: "ISOMedia", ["ISOMedia", "Storage", "Digest", "Formats", "TestSupport"]),
  tests(of: "FootageSQLite", ["FootageSQLite", "TestSupport"]),
  tests(of: "Storage", ["Storage", "FootageSystem", "Formats", "TestSupport"] + onLinuxAlone("LinuxTestSupport")),
  // What tests share.
  .target(
    name: "TestSupport", dependencies: ["Formats"], path: "Tests/TestSupport", swiftSettings: testSettings),

  // The code of the documentation, which sees of the library what an app sees, and is built as an app is.
  .target(
    name: "DocumentationExamples", dependencies: ["FootageClient", "FootageClientTesting"],
    path: "Tests/Documentation",
    exclude: ["Viewer"], packageAccess: false, swiftSettings: proved),
  // An app that was written from the articles alone. A package of its own for an app developer; here one more target.
  .executableTarget(
    name: "Viewer", dependencies: ["FootageClient"], path: "Tests/Documentation/Viewer/Sources/Viewer",
    packageAccess: false, swiftSettings: proved),

  // What the fuzzers run, which the tests run over the seeds.
  .target(
    name: "FuzzTargets",
    dependencies: ["FootageAPI", "FootageCore", "Formats", "HTTPSemantics", "ISOMedia", "ObjectStore", "Trust"],
    path: "Tests/Fuzz/Targets", swiftSettings: settings),
  .testTarget(
    name: "FuzzTests", dependencies: ["FuzzTargets"], path: "Tests/FuzzTests", swiftSettings: testSettings),
]

/// The server, the program, and the tests that need either.
let linux: [Target] = [
  // System libraries, and the few C shims that Swift cannot import.
  .target(name: "CLinux"),
  .target(name: "CPage"),
  .target(name: "CBuild", cSettings: [.define("FOOTAGE_COMMIT", to: "\"\(commit)\"")]),
  .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
  .target(name: "CFootageOpenSSLStart"),
  module("TLS", ["CFootageOpenSSLStart", "COpenSSL", "Formats", "FootageSystem", "Trust"]),
  module("Networking", ["FootageSystem", "TLS", "Trust"]),
  module(
    "RecordingLibrary", ["Digest", "FootageAPI", "Formats", "ISOMedia", "FootageSQLite", "Storage", "FootageSystem"]),
  // Reads recordings out of an object store.
  module(
    "StoredRecordings",
    [
      "Digest", "FootageAPI", "Formats", "HTTPFetching", "HTTPSemantics", "HTTPTransport", "Networking",
      "ObjectStore", "Storage", "FootageSystem", "TLS", "Trust",
    ]),
  // Shows what many robots have brought into one.
  module(
    "Fleet",
    [
      "Digest", "FootageAPI", "Formats", "Networking", "ObjectStore", "RecordingLibrary", "FootageSQLite", "Storage",
      "StoredRecordings", "FootageSystem", "Trust",
    ]),
  // Brings recordings into an object store.
  module(
    "Offload",
    [
      "Digest", "FootageAPI", "Formats", "HTTPFetching", "HTTPSemantics", "Networking", "ObjectStore",
      "RecordingLibrary", "FootageSQLite", "Storage", "StoredRecordings", "FootageSystem", "Trust",
    ]),
  module(
    "FootageServer",
    [
      "CPage", "Digest", "Fleet", "FootageAPI", "Formats", "HTTPSemantics", "HTTPTransport", "Networking", "Offload",
      "RecordingLibrary", "Storage", "FootageSystem", "TLS", "Trust",
    ],
    exclude: pageFiles.map { "Page/\($0)" }),
  .executableTarget(
    name: "footage",
    dependencies: [
      "CBuild", "Fleet", "FootageAPI", "FootageCore", "FootageDiscovery", "FootageLoopback", "FootageTransport",
      "FootageServer", "Formats", "HTTPSemantics", "HTTPTransport", "ISOMedia", "Networking", "ObjectStore",
      "Offload", "RecordingLibrary", "FootageSQLite", "Storage", "StoredRecordings", "FootageSystem", "TLS", "Trust",
    ],
    swiftSettings: settings),

  tests(of: "TLS", ["Digest", "TLS", "FootageSystem", "Trust", "COpenSSL", "LinuxTestSupport"]),
  tests(of: "Networking", ["Networking", "FootageSystem", "LinuxTestSupport"]),
  tests(of: "FootageDiscovery", ["FootageDiscovery", "FootageCore", "FootageSystem", "LinuxTestSupport"]),
  tests(
    of: "FootageClient",
    [
      "FootageClient", "FootageClientTesting", "FootageCore", "FootageLoopback", "FootageTransport",
      "DocumentationExamples", "FootageAPI",
      "Formats", "HTTPFetching", "HTTPTransport", "ISOMedia", "Networking", "FootageSQLite", "Storage",
      "FootageSystem",
      "TLS", "Trust", "LinuxTestSupport",
    ]),
  tests(
    of: "HTTPTransport",
    [
      "HTTPTransport", "HTTPFetching", "HTTPSemantics", "Networking", "FootageSystem", "TLS", "Trust", "COpenSSL",
      "AllocationCount", "LinuxTestSupport",
    ]),
  tests(
    of: "ObjectStore",
    [
      "ObjectStore", "Digest", "Formats", "HTTPFetching", "HTTPSemantics", "HTTPTransport", "Networking",
      "FootageSystem",
      "TLS", "Trust", "LinuxTestSupport",
    ]),
  tests(
    of: "RecordingLibrary",
    [
      "RecordingLibrary", "FootageAPI", "FootageSQLite", "Storage", "FootageSystem", "ISOMedia", "Digest", "Formats",
      "TLS",
      "Trust", "LinuxTestSupport",
    ]),
  tests(
    of: "StoredRecordings",
    [
      "StoredRecordings", "ObjectStore", "Digest", "FootageAPI", "Formats", "HTTPTransport", "Networking", "Storage",
      "FootageSystem", "Trust", "LinuxTestSupport",
    ]),
  tests(
    of: "Offload",
    [
      "Offload", "ObjectStore", "RecordingLibrary", "StoredRecordings", "Digest", "FootageAPI", "Formats",
      "HTTPFetching", "HTTPSemantics",
      "HTTPTransport", "Networking", "FootageSQLite", "Storage", "FootageSystem", "TLS", "Trust", "LinuxTestSupport",
    ]),
  tests(
    of: "Fleet",
    [
      "Fleet", "Digest", "FootageAPI", "FootageServer", "Formats", "HTTPFetching", "HTTPSemantics", "HTTPTransport",
      "Networking", "ObjectStore", "RecordingLibrary", "FootageSQLite", "Storage", "StoredRecordings",
      "FootageSystem", "TLS",
      "Trust", "LinuxTestSupport",
    ]),
  tests(of: "Provisioning", ["LinuxTestSupport"]),
  tests(of: "Page", ["footage", "FootageAPI", "Formats", "LinuxTestSupport"]),
  tests(
    of: "FootageServer",
    [
      "Digest", "Fleet", "FootageAPI", "FootageServer", "Formats", "HTTPSemantics", "HTTPTransport", "ISOMedia",
      "Networking", "ObjectStore", "Offload", "RecordingLibrary", "Storage", "StoredRecordings", "FootageSystem", "TLS",
      "Trust", "AllocationCount", "LinuxTestSupport",
    ]),
  // The program's parts, none of which starts anything.
  tests(of: "Program", ["footage", "FootageClient", "Formats", "LinuxTestSupport"]),
  // From outside: the program itself, and the clients that people use.
  tests(
    of: "Footage",
    [
      "footage", "FootageAPI", "FootageClient", "FootageCore", "FootageTransport", "DocumentationExamples", "Formats",
      "HTTPFetching", "HTTPTransport", "Networking", "RecordingLibrary", "Storage", "TLS", "Trust", "LinuxTestSupport",
      "Viewer",
    ]),
  // What tests share that talk to a network: peers, certificates, and stores. Hands on `TestSupport`.
  .target(
    name: "LinuxTestSupport",
    dependencies: ["COpenSSL", "Digest", "Formats", "Networking", "FootageSystem", "TestSupport"],
    path: "Tests/LinuxTestSupport", swiftSettings: testSettings),
  .target(name: "AllocationCount", path: "Tests/AllocationCount"),
  // A program that tries what the process that reads files may not do.
  .target(name: "ConfinementCalls", dependencies: ["CLinux"], path: "Tests/ConfinementCalls"),
  .executableTarget(
    name: "ConfinementProbe", dependencies: ["ConfinementCalls"], path: "Tests/ConfinementProbe",
    swiftSettings: testSettings),
]

let package = Package(
  name: "footage",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "FootageClient", targets: ["FootageClient"]),
    .library(name: "FootageClientTesting", targets: ["FootageClientTesting"]),
  ] + (isOnLinux ? [.executable(name: "footage", targets: ["footage"])] : []),
  targets: shared + (isOnLinux ? linux + fuzzers + benchmarks : [])
)
