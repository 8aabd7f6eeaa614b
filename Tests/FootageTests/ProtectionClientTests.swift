/// An app that protects a robot's recordings, with the real server.
import FootageClient
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct ProtectionClientTests {
  private static let name = "front/2026-11-20T10-00-00"

  private func robot(_ server: Server, as client: String) async throws -> RobotConnection {
    let identity = try Data(contentsOf: URL(filePath: server.certs + "/clients/\(client).p12"))
    return try await RobotConnection(
      to: FetchTests.robot(server), trusting: .pinned([try .spki(server.pin)]),
      as: .pkcs12(identity, passphrase: Fixtures.passphrase))
  }

  private func failure(_ body: () async throws -> Void) async -> RobotError? {
    do { try await body() } catch { return error as? RobotError }
    return nil
  }

  @Test(.timeLimit(.minutes(2))) func `an app keeps and releases where it may, and is told where it may not`()
    async throws
  {
    let (folder, certs) = try Fixtures.copiedCertificates()
    try "alice cameras=* keep release\nbob cameras=front\n".write(
      toFile: certs + "/viewers.conf", atomically: true, encoding: .utf8)
    let path = folder.path("recordings/\(Self.name).mp4")
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: path)
    let server = try Server(["--client-auth", "require"], folder: folder, certs: certs)
    defer { server.kill() }
    try server.waitForLine(with: " info: indexed 1 recordings in ")
    let alice = try await robot(server, as: "alice")
    // The next answer already shows the change, each time.
    for _ in 0..<50 {
      try await alice.keep(Self.name)
      #expect(try await alice.recording(Self.name).isKeptByRobot)
      try await alice.release(Self.name)
      #expect(try await alice.recording(Self.name).isKeptByRobot == false)
    }
    guard case .notFound? = await failure({ try await alice.keep("front/none") }) else {
      Issue.record("kept what is not there")
      return
    }
    let bob = try await robot(server, as: "bob")
    guard case .notAllowed(status: 403, reason: _)? = await failure({ try await bob.keep(Self.name) }) else {
      Issue.record("kept without the right")
      return
    }
    try server.stop()
  }

  @Test(.timeLimit(.minutes(2))) func `a viewer who would protect more than a share is told so`() async throws {
    let (folder, certs) = try Fixtures.copiedCertificates()
    try "alice cameras=* keep release status\n".write(
      toFile: certs + "/viewers.conf", atomically: true, encoding: .utf8)
    let path = folder.path("recordings/\(Self.name).mp4")
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: path)
    let size = try #require(FileManager.default.contents(atPath: path)).count
    for (share, isEnough) in [(size - 1, false), (size, true)] {
      let server = try Server(
        ["--client-auth", "require", "--keep-share", "\(share)"], folder: folder, certs: certs)
      defer { server.kill() }
      // The second server knows the recording already.
      if !isEnough { try server.waitForLine(with: " info: indexed 1 recordings in ") }
      let alice = try await robot(server, as: "alice")
      let error = await failure { try await alice.keep(Self.name) }
      if isEnough {
        #expect(error == nil)
        #expect(try await alice.recording(Self.name).isKeptByRobot)
        try await eventually("health names the viewer; \(server.story)") { () async -> Bool in
          server.log.contains("The viewer \"alice\"")
        }
      } else {
        #expect("\(error.map { "\($0)" } ?? "")".contains("--keep-share"), "\(String(describing: error))")
      }
      try server.stop()
    }
  }

  private struct EmptyBody: MediaBody {
    func next() async throws(TransportFailure) -> [UInt8]? { nil }
  }

  /// The response is what a robot of version 0.9.0 answers to every PUT.
  @Test func `an older robot is told apart from one that refuses`() async {
    let error = await Problem.error(of: MediaResponse(status: 405, body: EmptyBody()), name: "x")
    guard case .notSupported = error else {
      Issue.record("\(error)")
      return
    }
  }
}
