/// Other users of this machine, who have read the URL in a player's command line.
import Foundation
import FootageServing
import Synchronization
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(2))) struct OtherUsersTests {
  static let recording = content(10_000)

  /// Runs curl as the user nobody, and returns its output and the status.
  private func curlAsNobody(_ url: String) async throws -> (status: String, body: String) {
    let outcome = try await Command(
      "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "curl", "--silent", "--max-time", "20",
      "--range", "0-3", "--write-out", "\n%{http_code}", url
    ).finished()
    var lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return (lines.popLast() ?? "", lines.joined(separator: "\n"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can ask as another user"))
  func `another user is told why it is refused, and served only where the app says so`() async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    let url = try playback.playerLink()
    #expect(!playback.allowsOtherUsers && playback.keepsOtherUsersOut)
    let refused = try await curlAsNobody(url)
    #expect(refused.status == "403")
    #expect(refused.body.contains(#""code":"other-user","#) && refused.body.contains("belongs to user number 65534"))
    #expect(try await curl(url, "--range", "0-3").status == 206)
    playback.allowsOtherUsers = true
    #expect(try await curlAsNobody(url).status == "206" && !playback.keepsOtherUsersOut)
    // Other playbacks of the same app are not affected.
    let other = try await scene.open()
    #expect(try await curlAsNobody(other.playerLink()).status == "403")
    playback.allowsOtherUsers = false
    #expect(try await curlAsNobody(url).status == "403")
  }

  /// Returns the answer of a proxy to which the system reports other users' connections as the test demands.
  private func status(
    kernel: @escaping SocketTables.Lookup, files: @escaping SocketTables.Lookup
  ) async throws -> (status: Int, body: String, keepsOut: Bool) {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    let proxy = try LoopbackProxy(PlayerUsers(SocketTables(kernel: kernel, files: files)))
    let link = proxy.link(to: playback)
    let fetched = try await curl(try link.url(of: "x.mp4"))
    return (fetched.status, String(decoding: fetched.body, as: UTF8.self), proxy.knowsUsers)
  }

  private static func row(_ user: UInt32, inode: UInt32 = 1) -> SocketTables.Lookup {
    { SocketRow(local: $0, remote: $1, user: user, inode: inode) }
  }

  private static let nothing: SocketTables.Lookup = { _, _ in nil }

  @Test func `where the kernel does not say it, the files do`() async throws {
    #expect(try await status(kernel: Self.nothing, files: Self.row(geteuid())).status == 200)
    #expect(try await status(kernel: Self.nothing, files: Self.row(0)).status == 200)
    let other = try await status(kernel: Self.nothing, files: Self.row(12_345))
    #expect(other.status == 403 && other.body.contains("user number 12345") && other.keepsOut)
  }

  @Test func `where nothing says it, the token alone decides, and that can be asked`() async throws {
    let served = try await status(kernel: Self.nothing, files: Self.nothing)
    #expect(served.status == 200 && !served.keepsOut)
  }

  @Test func `where it is said, and not of this connection, nobody is served`() async throws {
    // The system reports listeners.
    let ofListeners: SocketTables.Lookup = { $1.port == 0 ? SocketRow(local: $0, remote: $1, user: 0, inode: 1) : nil }
    let unknown = try await status(kernel: ofListeners, files: Self.nothing)
    #expect(unknown.status == 403 && unknown.body.contains(#""code":"unknown-user","#) && unknown.keepsOut)
    // The socket was closed by its process, so the user that the system reports cannot be trusted.
    let closed: SocketTables.Lookup = { SocketRow(local: $0, remote: $1, user: 0, inode: $1.port == 0 ? 1 : 0) }
    #expect(try await status(kernel: closed, files: Self.nothing).status == 403)
  }

  @Test func `it is asked once a connection, not once a request`() async throws {
    let asked = Mutex(0)
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    let tables = SocketTables(
      kernel: { local, remote in
        asked.withLock { $0 += remote.port == 0 ? 0 : 1 }
        return SocketRow(local: local, remote: remote, user: geteuid(), inode: 1)
      }, files: Self.nothing)
    let proxy = try LoopbackProxy(PlayerUsers(tables))
    let link = proxy.link(to: playback)
    let url = try link.url(of: "x.mp4")
    let fetched = try await Command(
      "curl", "--silent", "--fail", "--output", "/dev/null", url, "--output", "/dev/null", url, "--output", "/dev/null",
      url
    ).finished()
    #expect(fetched.succeeded && asked.withLock { $0 } == 1)
  }
}
