// swift-tools-version: 6.3
// Copyright the Footage authors. Licensed under the Apache License, Version 2.0: see LICENSE.

import PackageDescription

/// True if warnings are errors and memory safety is strict. The scripts request it with `FOOTAGE_STRICT=1`. An app that
/// depends on Footage never does: Xcode silences the warnings of a dependency, and the compiler refuses to silence
/// warnings and to treat them as errors at the same time.
let isStrict = Context.environment["FOOTAGE_STRICT"] == "1"
let proved: [SwiftSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []

/// The settings with which every target is built.
let settings: [SwiftSetting] =
  proved + (isStrict ? [.strictMemorySafety()] : []) + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]

/// The settings of test targets. Tests use Foundation's `Process` and raw memory more freely than the shipped code
/// does. The scripts optimize the code under test; the tests' own code is not optimized, so that it compiles sooner.
let testSettings: [SwiftSetting] =
  proved + (isStrict ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : []) + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]

/// True if the package is built on Linux. The server, its tests and the targets that both depend on exist on Linux
/// only. On a Mac they are not part of the package, so `swift build` and `swift test` there build what apps use.
#if os(Linux)
let isOnLinux = true
#else
let isOnLinux = false
#endif

/// Returns dependencies that are used on Linux only. Builds for Apple's platforms leave them out, because those
/// platforms have their own equivalents.
func onLinuxAlone(_ names: String...) -> [Target.Dependency] {
  isOnLinux ? names.map { .target(name: $0, condition: .when(platforms: [.linux])) } : []
}

/// The folder to exclude from a module that has a folder for each platform: the one for the other platform.
let elsewhere = [isOnLinux ? "Apple" : "Linux"]

func module(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = [],
  _ more: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: settings + more)
}

/// The privacy manifest, which an app in the App Store must contain. On other platforms it would only be a folder
/// beside every program.
let privacy: (exclude: [String], resources: [Resource]) =
  isOnLinux ? (["Foundation/PrivacyInfo.xcprivacy"], []) : ([], [.copy("Foundation/PrivacyInfo.xcprivacy")])

func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: dependencies, swiftSettings: testSettings)
}

/// The fuzz targets, which have no `main` because libFuzzer has one. Only `scripts/fuzz.sh` builds them.
let fuzzers: [Target] =
  Context.environment["FOOTAGE_FUZZ"] == nil
  ? []
  : [
    "Boxes", "Ingest", "Heads", "Tables", "Growing", "Json", "Stored", "Certificates", "Answers", "Manifests",
  ].map {
    .executableTarget(name: "Fuzz\($0)", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/\($0)")
  }

/// The program that fills an index for `scripts/bench.sh fleet`. Only that script builds it.
let benchmarks: [Target] =
  Context.environment["FOOTAGE_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "FleetBenchmark", dependencies: ["FootageAPI", "FootageBase", "FootageStore"], path: "Tests/FleetBenchmark",
      swiftSettings: testSettings)
  ]

/// The commit that the scripts have looked up. `Context.gitInformation` does not help: SwiftPM caches its value
/// together with this file, so it can name an old commit.
let commit = (Context.environment["FOOTAGE_COMMIT"] ?? "").filter {
  $0.isASCII && ($0.isLetter || $0.isNumber || "-.+".contains($0))
}

/// The files of the web page, which the target CFootagePage embeds.
let pageFiles = [
  "about.js", "beginning.js", "boxes.js", "buffers.js", "calendar.js", "choice.js", "clip.js", "dom.js", "film.js",
  "footage.js", "layout.js", "list.js", "page.html", "page.js", "pictures.js", "pieces.js", "player.js", "robot.js",
  "robots.js", "silence.js", "style.css", "time.js", "timeline.js", "words.js",
]

/// The targets that apps use, and their tests. They are built on every platform.
let shared: [Target] = [
  .systemLibrary(name: "CFootageSQLite", providers: [.apt(["libsqlite3-dev"])]),
  // Pure: values and rules, without input or output.
  module("FootageBase", [], [.enableExperimentalFeature("Lifetimes")]),
  module("FootageHTTP", ["FootageBase"]),
  module("FootageMedia", ["FootageBase"]),
  module("FootageDigest", onLinuxAlone("CFootageOpenSSL", "CFootageOpenSSLStart"), exclude: elsewhere),
  // The messages between a robot and an app, and the rules for trusting them.
  module("FootageAPI", ["FootageBase", "FootageDigest"]),
  // The answers of a robot, independent of where the recordings come from: values in, answers out.
  module("FootageAnswers", ["FootageAPI", "FootageBase", "FootageDigest", "FootageHTTP"]),
  // The operating system, files and databases.
  module(
    "FootageSystem", ["CFootageSQLite", "FootageBase"] + onLinuxAlone("CFootageLinux"), exclude: elsewhere),
  // The HTTP client. Each platform provides the byte connections that it runs on.
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
  // The integration with Foundation, AVFoundation and Observation that apps use on top of the core.
  module(
    "FootageClient", ["FootageCore"], exclude: (isOnLinux ? elsewhere : []) + privacy.exclude,
    resources: privacy.resources),
  // An in-memory robot for an app's previews and tests.
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
  // Helpers shared by tests.
  .target(
    name: "TestSupport", dependencies: ["FootageBase"], path: "Tests/TestSupport", swiftSettings: testSettings),

  // The code of the documentation. It sees what an app sees of the library, and is built as an app is.
  .target(
    name: "DocumentationExamples", dependencies: ["FootageClient", "FootageClientTesting"],
    path: "Tests/Documentation",
    exclude: ["Viewer"], packageAccess: false, swiftSettings: proved),
  // An app that was written from the articles alone. For an app developer it is a separate package; here it is a
  // target.
  .executableTarget(
    name: "Viewer", dependencies: ["FootageClient"], path: "Tests/Documentation/Viewer/Sources/Viewer",
    packageAccess: false, swiftSettings: proved),
]

/// The server, the program, and the tests that need either of them.
let linux: [Target] = [
  // System libraries, and the few C shims for declarations that Swift cannot import.
  .target(name: "CFootageLinux"),
  .target(name: "CFootagePage"),
  .target(name: "CFootageBuild", cSettings: [.define("FOOTAGE_COMMIT", to: "\"\(commit)\"")]),
  .systemLibrary(name: "CFootageOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
  .target(name: "CFootageOpenSSLStart"),
  module("FootageTLS", ["CFootageOpenSSL", "CFootageOpenSSLStart", "FootageAPI", "FootageBase", "FootageSystem"]),
  // Event loops, and the HTTP server that runs on them.
  module("FootageServing", ["FootageAPI", "FootageBase", "FootageHTTP", "FootageSystem", "FootageTLS"]),
  // The folder of recordings.
  module("FootageLibrary", ["FootageAPI", "FootageBase", "FootageDigest", "FootageMedia", "FootageSystem"]),
  // Stores with the S3 API: recordings are copied to a store and read from it, and many robots are served from one.
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
  // The program's commands, in a module that tests can import: an executable that tests import is compiled twice.
  module(
    "FootageCommands",
    [
      "CFootageBuild", "FootageAPI", "FootageBase", "FootageCore", "FootageHTTP", "FootageLibrary", "FootageMedia",
      "FootageServer", "FootageServing", "FootageStore", "FootageSystem", "FootageTLS",
    ]),
  .executableTarget(name: "footage", dependencies: ["FootageCommands"], swiftSettings: settings),

  // The code that the fuzzers run. The tests run it over the seeds.
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
  // Tests of the program's parts. None of them starts a process.
  tests(
    of: "Program",
    [
      "FootageAPI", "FootageBase", "FootageClient", "FootageClientTesting", "FootageCommands", "FootageCore",
      "FootageDigest", "FootageLibrary", "FootageServer", "FootageServing", "FootageStore", "FootageSystem",
      "FootageTLS",
      "LinuxTestSupport",
    ]),
  // Tests from the outside: of the program itself, with the clients that people use.
  tests(
    of: "Footage",
    [
      "DocumentationExamples", "FootageAPI", "FootageBase", "FootageClient", "FootageCommands", "FootageCore",
      "FootageFetching", "FootageLibrary", "FootageServing", "FootageSystem", "FootageTLS", "LinuxTestSupport",
    ]),
  // Helpers shared by tests that use a network: peers, certificates, and stores. It re-exports `TestSupport`.
  .target(
    name: "LinuxTestSupport",
    dependencies: [
      "CFootageOpenSSL", "FootageBase", "FootageDigest", "FootageServing", "FootageSystem", "TestSupport",
    ],
    path: "Tests/LinuxTestSupport", swiftSettings: testSettings),
  // An in-memory store.
  .target(
    name: "StoreTestSupport",
    dependencies: ["FootageBase", "FootageDigest", "FootageFetching", "FootageHTTP", "FootageStore"],
    path: "Tests/StoreTestSupport", swiftSettings: testSettings),
  .target(name: "AllocationCount", path: "Tests/AllocationCount"),
  // A program that tries the calls which are forbidden to the process that reads files.
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
