/// The making of a release (`scripts/release.sh`), in a small repository with everything that the script reads and
/// writes.
import Foundation
import TestSupport
import Testing

@Suite struct ReleaseTests {
  /// A repository of version 0.9.0 whose checks have passed for its commit.
  final class Repository {
    let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      for script in ["release.sh", "lib/packages.sh"] {
        try write(
          "scripts/\(script)", String(contentsOfFile: "\(CertificateFolder.scripts)/\(script)", encoding: .utf8))
      }
      try write("Sources/FootageBase/FootageVersion.swift", "  package static let number = \"0.9.0\"\n")
      try write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n- It flies.\n\n## 0.8.0 (2026-01-02)\n\n- It walks.\n")
      try write("README.md", "apt install ./footage_0.9.0_arm64.deb, which reads what 0.9.0 has left\n")
      try write(".gitignore", ".build/\n")
      try git("init", "-q", "-b", "main")
      try git("add", "-A")
      try git("commit", "-q", "-m", "Begin")
      try write(".build/release-passed", git("rev-parse", "HEAD"))
    }

    func write(_ name: String, _ text: String) throws {
      let file = URL(fileURLWithPath: folder.path(name))
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }

    func read(_ name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }

    @discardableResult
    func git(_ arguments: String...) throws -> String {
      try Command("git", arguments: ["-C", folder.location] + arguments, environment: Self.person).successfulOutput()
    }

    func release(_ arguments: String...) throws -> Command.Outcome {
      try Command(
        "bash", arguments: [folder.path("scripts/release.sh")] + arguments, environment: Self.person
      ).run()
    }

    private static let person = [
      "GIT_AUTHOR_NAME": "Somebody", "GIT_AUTHOR_EMAIL": "somebody@localhost", "GIT_COMMITTER_NAME": "Somebody",
      "GIT_COMMITTER_EMAIL": "somebody@localhost", "GIT_CONFIG_GLOBAL": "/dev/null",
    ]
  }

  @Test func `a release is one commit with version, pages and changes`() throws {
    let repository = try Repository()
    let outcome = try repository.release("0.10.0")
    #expect(outcome.succeeded, "\(outcome.errors)")
    #expect(outcome.output.contains("    git tag -a 0.10.0 -m \"Footage 0.10.0\"\n"))
    #expect(try repository.git("log", "--format=%s") == "Release 0.10.0\nBegin\n")
    #expect(try repository.git("status", "--porcelain").isEmpty && repository.git("tag").isEmpty)
    #expect(
      try repository.read("Sources/FootageBase/FootageVersion.swift") == "  package static let number = \"0.10.0\"\n")
    #expect(
      try repository.read("README.md") == "apt install ./footage_0.10.0_arm64.deb, which reads what 0.9.0 has left\n")
    let changes = try repository.read("CHANGELOG.md")
    let date = try #require(changes.firstMatch(of: /## 0\.10\.0 \((\d{4}-\d\d-\d\d)\)/)).1
    #expect(
      changes == """
        # Changes

        ## Unreleased

        ## 0.10.0 (\(date))

        - It flies.

        ## 0.8.0 (2026-01-02)

        - It walks.

        """)
  }

  @Test func `a dry run shows the changes and makes none`() throws {
    let repository = try Repository()
    let outcome = try repository.release("--dry-run", "0.10.0")
    #expect(outcome.succeeded, "\(outcome.errors)")
    #expect(outcome.output.contains("\n+  package static let number = \"0.10.0\"\n"))
    #expect(outcome.output.contains("\n+## 0.10.0 ("))
    #expect(try repository.git("log", "--format=%s") == "Begin\n")
    #expect(try repository.git("status", "--porcelain").isEmpty)
  }

  /// Problems of a repository, each with the script's message and the requested version.
  static let obstacles: [(String, version: String, @Sendable (Repository) throws -> Void)] = [
    ("the branch is other, but a release is made on main", "0.10.0", { try $0.git("switch", "-q", "-c", "other") }),
    ("uncommitted changes (README.md, …)", "0.10.0", { try $0.write("README.md", "changed\n") }),
    ("the tag 0.10.0 already exists", "0.10.0", { try $0.git("tag", "0.10.0") }),
    ("the version is already 0.9.0, and 0.8.9 is an earlier one", "0.8.9", { _ in }),
    ("is missing). Run scripts/test.sh --release", "0.10.0", { try $0.write(".build/release-passed", "") }),
    (
      "the release checks have passed for 0123456789ab, but this is ", "0.10.0",
      { try $0.write(".build/release-passed", "0123456789abcdef\n") }
    ),
    (
      "the section 'Unreleased' of CHANGELOG.md is empty", "0.10.0",
      {
        try $0.write("CHANGELOG.md", "## Unreleased\n\n## 0.8.0 (2026-01-02)\n\n- It walks.\n")
        try $0.git("commit", "-q", "-a", "-m", "Say nothing")
        try $0.write(".build/release-passed", $0.git("rev-parse", "HEAD"))
      }
    ),
  ]

  @Test(arguments: obstacles.indices) func `what hinders a release is said, and nothing is changed`(
    index: Int
  ) throws {
    let (words, version, spoil) = Self.obstacles[index]
    let repository = try Repository()
    try spoil(repository)
    let before = try (repository.git("rev-parse", "HEAD"), repository.git("diff"))
    let outcome = try repository.release(version)
    #expect(outcome.status == 1)
    let said = outcome.errors.split(separator: "\n")
    #expect(said.count == 2 && said.first?.contains(words) == true, "\(outcome.errors)")
    #expect(said.last == "release: \(version) cannot be made, see above; nothing was changed")
    #expect(try repository.git("rev-parse", "HEAD") == before.0)
    #expect(try repository.git("diff") == before.1)
  }

  @Test(arguments: ["1.2", "v1.2.3", "1.2.3-beta", "01.2.3"]) func `what is no version is refused`(
    version: String
  ) throws {
    let outcome = try Repository().release(version)
    #expect(outcome.status == 64)
    #expect(outcome.errors == "release: '\(version)' is not a version. Give three numbers, as in 1.2.3.\n")
  }
}
