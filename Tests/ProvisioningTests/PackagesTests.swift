/// The installation of missing packages by the scripts (`scripts/lib/packages.sh`), on a simulated system.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct PackagesTests {
  /// Programs that replace the system's, and a record of their calls.
  final class System {
    let folder: TemporaryFolder

    /// - Parameter sudo: the script of `sudo`; by default, it runs its command.
    init(sudo: String = #"while [ "${1#-}" != "$1" ]; do shift; done; exec "$@""#) throws {
      folder = try TemporaryFolder()
      try add("dpkg-query", "exit 1")
      try add("id", "echo 1000")
      try add("sudo", sudo)
      try add("apt-get", #"echo "$DEBIAN_FRONTEND $*" >>"$ROOT/done""#)
    }

    func add(_ name: String, _ body: String) throws {
      try folder.addScript(name, "#!/bin/bash\nROOT='\(folder.location)'\n\(body)\n")
    }

    /// The arguments of `apt-get`, one line per call.
    var installed: String {
      FileManager.default.contents(atPath: folder.path("done")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    func run(_ function: String, path: String = ":/usr/bin:/bin") throws -> Command.Outcome {
      try Command(
        "/bin/bash", "-c", "set -euo pipefail; . '\(CertificateFolder.scripts)/lib/packages.sh'; \(function)",
        environment: ["PATH": folder.location + path]
      ).run()
    }
  }

  @Test func `a user with sudo gets what is missing, without a question`() throws {
    let system = try System()
    let outcome = try system.run("need_packages one two")
    #expect(outcome.succeeded, "\(outcome.errors)")
    #expect(outcome.errors == "installing one two\n")
    #expect(
      system.installed == " update -qq\nnoninteractive install -y -qq --no-install-recommends one two\n")
  }

  @Test func `a user without rights gets one sentence with everything in it`() throws {
    let system = try System(sudo: "echo 'a password is required' >&2; exit 1")
    let outcome = try system.run("need_packages one two; echo went on")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(
      outcome.errors
        == "these packages are missing: one two; someone with the right must install them: apt-get install one two\n")
    #expect(system.installed.isEmpty)
  }

  @Test func `a failing apt-get is named, and nothing goes on`() throws {
    let system = try System()
    try system.add("apt-get", "echo 'E: no network' >&2; exit 100")
    let outcome = try system.run("need_packages one; echo went on")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(
      outcome.errors.hasSuffix(
        "E: no network\napt-get could not install one (its reason is above): install them and run this again\n"))
  }

  @Test func `a Swift that lacks its libraries gets them`() throws {
    let system = try System()
    try system.add("swift", #"[ -e "$ROOT/done" ] || { echo 'no libncurses.so.6' >&2; exit 127; }"#)
    let outcome = try system.run("need_swift other")
    #expect(outcome.succeeded, "\(outcome.errors)")
    #expect(!outcome.errors.contains("libncurses.so.6"))
    #expect(system.installed.contains("recommends other libcurl4 libedit2 libncurses6 libsqlite3-0 libxml2"))
  }

  @Test func `a Swift that still does not start is named`() throws {
    let system = try System()
    try system.add("swift", "echo 'no libncurses.so.7' >&2; exit 127")
    let outcome = try system.run("need_swift; echo went on")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("no libncurses.so.7\n\(system.folder.path("swift")) does not start, see above: "))
  }

  @Test func `no Swift at all is one sentence`() throws {
    let outcome = try System().run("need_swift; echo went on", path: "")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("there is no 'swift' on the PATH: "))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  /// A program that crashes as often as it is told to, and counts its starts.
  private static let crashing = #"""
    echo "$*" >>"$ROOT/done"; echo answer
    [ "$(wc -l <"$ROOT/done")" -gt "$CRASHES" ] || kill -SEGV $$
    exit "$STATUS"
    """#

  @Test(
    arguments: [
      (0, 0, 1, 0), (1, 0, 2, 0), (1, 1, 2, 1), (2, 0, 2, 139),
      // A build that fails, even by a compiler's crash, is not tried again.
      (0, 1, 1, 1),
    ] as [(Int, Int, Int, Int32)])
  func `SwiftPM is started once more where a segmentation fault ends it`(
    crashes: Int, status: Int, starts: Int, expected: Int32
  ) throws {
    for words in ["package dump-package", "build --show-bin-path", "build --product x"] {
      let system = try System()
      try system.add("swift", "CRASHES=\(crashes) STATUS=\(status)\n" + Self.crashing)
      let outcome = try system.run("swift_tool \(words)")
      #expect(outcome.status == expected, "\(words): \(outcome)")
      #expect(system.installed == String(repeating: words + "\n", count: starts))
      #expect(outcome.errors.contains("retrying") == (starts == 2))
      // A caller that asks for output gets it once.
      if expected == 0, !words.contains("product") { #expect(outcome.output == "answer\n") }
    }
  }
}
