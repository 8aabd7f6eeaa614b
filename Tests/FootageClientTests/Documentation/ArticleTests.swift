/// The code in the documentation is code that was compiled and run.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ArticleTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let catalog = "Sources/FootageClient/FootageClient.docc"
  private static let sources = "Tests/Documentation"
  /// The sources that are compiled as if for Apple's platforms.
  private static let applePlatform = "Tests/ApplePlatform"

  /// The pages with code for app developers.
  static let pages =
    ["README.md"]
    + [
      "AVPlayerInTenLines", "FindAMoment", "FootageClient", "FromAnEmptyAppToAPlayingVideo", "OfflineAndDownloads",
      "PreviewsAndTests", "WhereYourURLSessionDelegateWent",
    ].map {
      "\(catalog)/\($0).md"
    }

  private static func lines(of path: String) throws -> [String] {
    try text(of: root.appendingPathComponent(path).path).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// The lines of the sources, file by file.
  private static let compiled = Result {
    try [sources, "\(applePlatform)/Documentation"].flatMap { folder in
      let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
      return try paths.filter { $0.hasSuffix(".swift") }.map { try lines(of: "\(folder)/\($0)") }
    }
  }

  /// Returns the lines of each block between "```swift" and "```", with the number of the first line, from 1.
  private static func blocks(in page: String) throws -> [(line: Int, lines: [String])] {
    var blocks: [(line: Int, lines: [String])] = []
    var isInside = false
    for (index, line) in try lines(of: page).enumerated() {
      if line == "```swift" {
        isInside = true
        blocks.append((index + 2, []))
      } else if isInside, line == "```" {
        isInside = false
      } else if isInside {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    try #require(!isInside, "a block of \(page) does not end")
    return blocks
  }

  /// Returns true if lines begin with those of a block, indented like the first of them.
  private static func shows(_ lines: ArraySlice<String>, _ block: [String]) -> Bool {
    guard let first = block.first, let line = lines.first, line.hasSuffix(first) else { return false }
    let indentation = line.dropLast(first.count)
    guard indentation.allSatisfy({ $0 == " " }) else { return false }
    return lines.starts(with: block) { $0 == ($1.isEmpty ? "" : indentation + $1) }
  }

  @Test(arguments: pages) func `every block of Swift is in the sources, line for line`(page: String) throws {
    let files = try Self.compiled.get()
    let blocks = try Self.blocks(in: page)
    #expect(!blocks.isEmpty)
    for block in blocks {
      let isThere = files.contains { file in
        file.indices.contains { Self.shows(file[$0...], block.lines) }
      }
      #expect(isThere, "\(page), line \(block.line): \(block.lines.first ?? "nothing")")
    }
  }

  @Test func `the catalog has no page that is not looked at`() throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent(Self.catalog).path)
    #expect(Set(names.map { "\(Self.catalog)/\($0)" }) == Set(Self.pages.dropFirst()))
  }

  @Test func `the ten lines are ten`() throws {
    #expect(try Self.blocks(in: "\(Self.catalog)/AVPlayerInTenLines.md").first?.lines.count == 10)
  }

  @Test func `the keys that the article names are those of the example`() throws {
    let page = try Self.lines(of: "\(Self.catalog)/AVPlayerInTenLines.md")
    let rows = page.filter { $0.hasPrefix("| `") }
    let named = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    let plist = try PropertyListSerialization.propertyList(
      from: Data(contentsOf: Self.root.appendingPathComponent("\(Self.applePlatform)/Example/Info.plist")), format: nil)
    let keys = try #require(plist as? [String: Any])
    #expect(Set(named) == Set(keys.keys) && !named.isEmpty)
    #expect(keys["NSAppTransportSecurity"] as? [String: Bool] == ["NSAllowsLocalNetworking": true])
    #expect(keys["NSBonjourServices"] as? [String] == ["_footage._tcp"])
  }

  @Test func `the manifest of an app is one`() async throws {
    let folder = Self.root.appendingPathComponent("\(Self.sources)/Viewer").path
    let scratch = try TemporaryFolder()
    let outcome = try await Command(
      "swift", "package", "--package-path", folder, "--scratch-path", scratch.location, "dump-package"
    ).finished()
    #expect(outcome.succeeded && outcome.output.contains("\"FootageClient\""), "\(outcome.errors)")
  }
}
