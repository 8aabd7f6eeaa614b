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

/// What is not compiled here of a module that has a folder for each platform.
let elsewhere = [isOnLinux ? "Apple" : "Linux"]

func module(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = [],
  _ more: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: settings + more)
}

/// The privacy manifest, which an app in the App Store brings along. Elsewhere it would only be a folder beside every program.
let privacy: (exclude: [String], resources: [Resource]) =
  isOnLinux ? (["Foundation/PrivacyInfo.xcprivacy"], []) : ([], [.copy("Foundation/PrivacyInfo.xcprivacy")])

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

/// Fills an index for `scripts/bench.sh fleet`, which alone builds it.
let benchmarks: [Target] =
  Context.environment["FOOTAGE_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "FleetBenchmark", dependencies: ["FootageAPI", "FootageBase", "FootageStore"], path: "Tests/FleetBenchmark",
      swiftSettings: testSettings)
  ]

/// The commit that the scripts have looked up. `Context.gitInformation` is no help: SwiftPM remembers it together with
/// this file, and would say yesterday's commit.
let commit = (Context.environment["FOOTAGE_COMMIT"] ?? "").filter {
  $0.isASCII && ($0.isLetter || $0.isNumber || "-.+".contains($0))
}

/// What the page is made of: CFootagePage has it.
let pageFiles = [
  "boxes.js", "choice.js", "clip.js", "dom.js", "film.js", "footage.js", "layout.js", "list.js", "page.html", "page.js",
  "pictures.js", "pieces.js", "player.js", "robot.js", "robots.js", "style.css", "time.js", "timeline.js", "words.js",
]

/// What apps use, and its tests: everywhere.
let shared: [Target] = [
  .systemLibrary(name: "CFootageSQLite", providers: [.apt(["libsqlite3-dev"])]),
  // Pure: values and rules, no input or output.
  module("FootageBase", [], [.enableExperimentalFeature("Lifetimes")]),
  module("FootageHTTP", ["FootageBase"]),
  module("FootageMedia", ["FootageBase"]),
  module("FootageDigest", onLinuxAlone("CFootageOpenSSL", "CFootageOpenSSLStart"), exclude: elsewhere),
  // What robot and app say to one another, and believe.
  module("FootageAPI", ["FootageBase", "FootageDigest"]),
  // What a robot answers, out of whatever source: values in, answers out.
  module("FootageAnswers", ["FootageAPI", "FootageBase", "FootageDigest", "FootageHTTP"]),
  // The operating system, files and databases.
  module(
    "FootageSystem", ["CFootageSQLite", "FootageBase"] + onLinuxAlone("CFootageLinux"), exclude: elsewhere),
  // HTTP's client over connections of bytes, which each platform makes in its way.
  module(
    "FootageFetching",
    ["FootageAPI", "FootageBase", "FootageDigest", "FootageHTTP", "FootageSystem"]
      + onLinuxAlone("FootageServing", "FootageTLS"), exclude: elsewhere),
  // The app's library: robots, the cache, playing.
  module(
    "FootageCore",
    [
      "FootageAPI", "FootageBase", "FootageDigest", "FootageFetching", "FootageHTTP", "FootageMedia", "FootageSystem",
    ] + onLinuxAlone("FootageServing", "FootageTLS"), exclude: elsewhere),
  // What apps have of Foundation, AVFoundation and Observation on top of it.
  module(
    "FootageClient", ["FootageCore"], exclude: (isOnLinux ? elsewhere : []) + privacy.exclude,
    resources: privacy.resources),
  // A robot in memory, for an app's previews and tests.
  module(
    "FootageClientTesting",
    ["FootageAnswers", "FootageAPI", "FootageBase", "FootageCore", "FootageHTTP", "FootageMedia", "FootageSystem"]),

  tests(of: "FootageBase", ["FootageBase", "TestSupport"]),
  tests(of: "FootageHTTP", ["FootageBase", "FootageHTTP", "TestSupport"]),
  tests(of: "FootageMedia", ["FootageBase", "FootageDigest", "FootageMedia", "FootageSystem", "TestSupport"]),
  tests(of: "FootageDigest", ["FootageBase", "FootageDigest", "TestSupport"]),
  tests(
    of: "FootageAPI",
    ["FootageAPI", "FootageBase", "FootageDigest", "TestSupport"] + onLinuxAlone("FootageTLS", "LinuxTestSupport")),
  tests(
    of: "FootageSystem",
    ["FootageBase", "FootageSystem", "TestSupport"] + onLinuxAlone("ConfinementProbe", "LinuxTestSupport")),
  tests(of: "FootageClientTesting", ["FootageClient", "FootageClientTesting", "TestSupport"]),
  // What tests share.
  .target(
    name: "TestSupport", dependencies: ["FootageBase"], path: "Tests/TestSupport", swiftSettings: testSettings),

  // The code of the documentation, which sees of the library what an app sees, and is built as an app is.
  .target(
    name: "DocumentationExamples", dependencies: ["FootageClient", "FootageClientTesting"],
    path: "Tests/Documentation",
    exclude: ["Viewer"], packageAccess: false, swiftSettings: proved),
  // An app that was written from the articles alone. A package of its own for an app developer; here one more target.
  .executableTarget(
    name: "Viewer", dependencies: ["FootageClient"], path: "Tests/Documentation/Viewer/Sources/Viewer",
    packageAccess: false, swiftSettings: proved),
]

/// The server, the program, and the tests that need either.
let linux: [Target] = [
  // System libraries, and the few C shims that Swift cannot import.
  .target(name: "CFootageLinux"),
  .target(name: "CFootagePage"),
  .target(name: "CFootageBuild", cSettings: [.define("FOOTAGE_COMMIT", to: "\"\(commit)\"")]),
  .systemLibrary(name: "CFootageOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
  .target(name: "CFootageOpenSSLStart"),
  module("FootageTLS", ["CFootageOpenSSL", "CFootageOpenSSLStart", "FootageAPI", "FootageBase", "FootageSystem"]),
  // Event loops, and HTTP's server on them.
  module("FootageServing", ["FootageAPI", "FootageBase", "FootageHTTP", "FootageSystem", "FootageTLS"]),
  // The folder of recordings.
  module("FootageLibrary", ["FootageAPI", "FootageBase", "FootageDigest", "FootageMedia", "FootageSystem"]),
  // Stores with the S3 API: recordings go there, are read there, and many robots' are shown from there.
  module(
    "FootageStore",
    [
      "FootageAPI", "FootageBase", "FootageDigest", "FootageFetching", "FootageHTTP", "FootageLibrary",
      "FootageServing", "FootageSystem", "FootageTLS",
    ]),
  module(
    "FootageServer",
    [
      "CFootagePage", "FootageAnswers", "FootageAPI", "FootageBase", "FootageDigest", "FootageHTTP", "FootageLibrary",
      "FootageServing",
      "FootageStore", "FootageSystem", "FootageTLS",
    ],
    exclude: pageFiles.map { "Page/\($0)" }),
  // The program's commands, which its tests reach into: an executable that tests import is compiled twice.
  module(
    "FootageCommands",
    [
      "CFootageBuild", "FootageAPI", "FootageBase", "FootageCore", "FootageHTTP", "FootageLibrary", "FootageMedia",
      "FootageServer", "FootageServing", "FootageStore", "FootageSystem", "FootageTLS",
    ]),
  .executableTarget(name: "footage", dependencies: ["FootageCommands"], swiftSettings: settings),

  // What the fuzzers run, which the tests run over the seeds.
  .target(
    name: "FuzzTargets",
    dependencies: ["FootageAPI", "FootageBase", "FootageCore", "FootageHTTP", "FootageMedia", "FootageStore"],
    path: "Tests/Fuzz/Targets", swiftSettings: settings),
  .testTarget(
    name: "FuzzTests", dependencies: ["FuzzTargets"], path: "Tests/FuzzTests", swiftSettings: testSettings),

  tests(
    of: "FootageTLS",
    ["CFootageOpenSSL", "FootageAPI", "FootageDigest", "FootageSystem", "FootageTLS", "LinuxTestSupport"]),
  tests(
    of: "FootageServing",
    [
      "AllocationCount", "CFootageOpenSSL", "FootageAPI", "FootageFetching", "FootageHTTP", "FootageServing",
      "FootageSystem", "FootageTLS", "LinuxTestSupport",
    ]),
  tests(
    of: "FootageLibrary",
    [
      "FootageAPI", "FootageBase", "FootageDigest", "FootageLibrary", "FootageMedia", "FootageSystem", "FootageTLS",
      "LinuxTestSupport",
    ]),
  tests(
    of: "FootageStore",
    [
      "FootageAPI", "FootageBase", "FootageDigest", "FootageFetching", "FootageHTTP", "FootageLibrary", "FootageServer",
      "FootageServing", "FootageStore", "FootageSystem", "FootageTLS", "LinuxTestSupport", "StoreTestSupport",
    ]),
  tests(
    of: "FootageClient",
    [
      "DocumentationExamples", "FootageAPI", "FootageBase", "FootageClient", "FootageClientTesting", "FootageCore",
      "FootageFetching", "FootageMedia", "FootageServing", "FootageSystem", "FootageTLS", "LinuxTestSupport",
      "TestSupport",
    ]),
  tests(
    of: "FootageServer",
    [
      "AllocationCount", "FootageAnswers", "FootageAPI", "FootageBase", "FootageDigest", "FootageHTTP",
      "FootageLibrary", "FootageMedia", "FootageServer", "FootageServing", "FootageStore", "FootageSystem",
      "FootageTLS", "LinuxTestSupport", "StoreTestSupport",
    ]),
  tests(of: "Provisioning", ["LinuxTestSupport"]),
  tests(of: "Page", ["FootageAPI", "FootageBase", "LinuxTestSupport"]),
  // The program's parts, none of which starts anything.
  tests(
    of: "Program",
    [
      "FootageAPI", "FootageBase", "FootageClient", "FootageClientTesting", "FootageCommands", "FootageCore",
      "FootageDigest", "FootageLibrary", "FootageServer", "FootageServing", "FootageStore", "FootageSystem",
      "FootageTLS",
      "LinuxTestSupport",
    ]),
  // From outside: the program itself, and the clients that people use.
  tests(
    of: "Footage",
    [
      "DocumentationExamples", "FootageAPI", "FootageBase", "FootageClient", "FootageCommands", "FootageCore",
      "FootageFetching", "FootageLibrary", "FootageServing", "FootageSystem", "FootageTLS", "LinuxTestSupport",
    ]),
  // What tests share that talk to a network: peers, certificates, and stores. Hands on `TestSupport`.
  .target(
    name: "LinuxTestSupport",
    dependencies: [
      "CFootageOpenSSL", "FootageBase", "FootageDigest", "FootageServing", "FootageSystem", "TestSupport",
    ],
    path: "Tests/LinuxTestSupport", swiftSettings: testSettings),
  // A store in memory.
  .target(
    name: "StoreTestSupport",
    dependencies: ["FootageBase", "FootageDigest", "FootageFetching", "FootageHTTP", "FootageStore"],
    path: "Tests/StoreTestSupport", swiftSettings: testSettings),
  .target(name: "AllocationCount", path: "Tests/AllocationCount"),
  // A program that tries what the process that reads files may not do.
  .target(name: "ConfinementCalls", dependencies: ["CFootageLinux"], path: "Tests/ConfinementCalls"),
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
