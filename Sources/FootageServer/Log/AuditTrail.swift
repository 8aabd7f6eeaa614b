internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import Synchronization
internal import FootageSystem

/// The record of what each viewer received: a line for each playback or download, after a minute without further
/// requests. Shared by all loops, each of which adds its sums.
final class AuditTrail: Sendable {
  /// A viewer, identified by a certificate or else by an address.
  struct Viewer: Hashable, Sendable {
    let identity: ClientIdentity?
    let peer: SocketAddress

    /// Returns true for the same certificate at any address, or for the same address without a certificate. Ports are
    /// ignored, because they change.
    func isSame(_ identity: ClientIdentity?, _ peer: SocketAddress) -> Bool {
      if let own = self.identity { return own.certificateDigest == identity?.certificateDigest }
      return identity == nil && self.peer.addressBytes == peer.addressBytes
    }

    static func == (one: Viewer, other: Viewer) -> Bool { one.isSame(other.identity, other.peer) }

    func hash(into hasher: inout Hasher) { hasher.combine(identity?.certificateDigest ?? peer.addressBytes) }
  }

  private struct Subject: Hashable {
    let viewer: Viewer
    /// The path as it was requested; empty for pictures of any recording.
    let path: [UInt8]
  }

  private struct Account {
    var bytes: UInt64 = 0
    var requests = 0
    let began: Deadline
    var last: Deadline
  }

  private struct State {
    var accounts: [Subject: Account] = [:]
    var missedBytes: UInt64 = 0
  }

  private let state = Mutex(State())
  private let nameOfFilm = Mutex<@Sendable (FilmAddress) -> String?>({ _ in nil })
  private let log: Log

  /// The time without a request after which a playback has ended.
  static let pause = Duration.seconds(60)
  /// The time after which a download that continues is logged although it has not ended.
  private static let longest = Duration.seconds(86_400)
  private static let limit = 16_384

  init(_ log: Log) { self.log = log }

  /// Sets the source of the names of recordings whose films were sent.
  ///
  /// - Parameter name: returns the name of a recording, or nil if the recording is no longer there. It may block.
  func nameFilms(_ name: @escaping @Sendable (FilmAddress) -> String?) { nameOfFilm.withLock { $0 = name } }

  /// Adds the sums of a loop. Any thread.
  func add(_ sums: some Sequence<(viewer: Viewer, path: [UInt8], bytes: UInt64, requests: Int)>) {
    let now = log.clock.now
    state.withLock { state in
      for sum in sums {
        let subject = Subject(viewer: sum.viewer, path: sum.path)
        guard state.accounts[subject] != nil || state.accounts.count < Self.limit else {
          state.missedBytes &+= sum.bytes
          continue
        }
        var account = state.accounts[subject] ?? Account(began: now, last: now)
        account.bytes &+= sum.bytes
        account.requests += sum.requests
        account.last = now
        state.accounts[subject] = account
      }
    }
  }

  /// Adds bytes that were sent to viewers who cannot be recorded individually.
  func missed(_ bytes: UInt64) { state.withLock { $0.missedBytes &+= bytes } }

  /// Logs the playbacks and downloads that have ended. Call it about once a second.
  ///
  /// - Parameter all: true to log all of them, because the server stops.
  func flush(all: Bool = false) {
    let now = log.clock.now
    let (over, missed) = state.withLock { state in
      let over = state.accounts.filter { _, account in
        all || now.duration(since: account.last) >= Self.pause || now.duration(since: account.began) >= Self.longest
      }
      for subject in over.keys { state.accounts[subject] = nil }
      defer { state.missedBytes = 0 }
      return (over, state.missedBytes)
    }
    for (subject, account) in over.sorted(by: { $0.value.began < $1.value.began }) {
      log(.info, line(subject, account))
    }
    if missed > 0 {
      log(
        .warning,
        "audit: \(missed) more bytes were sent that are not listed by viewer, because there were too many viewers at once"
      )
    }
  }

  /// Returns a line like
  /// `audit: "alice" (192.0.2.7) got 20955211 bytes of front/2026-11-20T10-15-30 in 14 requests over 63 s`.
  private func line(_ subject: Subject, _ account: Account) -> String {
    let viewer = subject.viewer
    let who =
      viewer.identity.map { "\"\(LogText.escaped(Array($0.name.utf8)[...]))\" (\(viewer.peer.host))" }
      ?? viewer.peer.host
    let requests = "\(account.requests) request\(account.requests == 1 ? "" : "s")"
    let span = "\(account.last.duration(since: account.began).components.seconds) s"
    return "audit: \(who) got \(account.bytes) bytes of \(what(subject.path)) in \(requests) over \(span)"
  }

  private func what(_ path: [UInt8]) -> String {
    guard !path.isEmpty else { return "pictures" }
    switch RequestRoute(written: path[...]) {
    case .film:
      let text = Self.decoded(path.dropFirst("/\(FilmAddress.root)/".utf8.count).dropLast())
      guard let address = FilmAddress(text), let name = nameOfFilm.withLock({ $0 })(address) else {
        return "the film \(text)"
      }
      return "the film of \(NameBytes.shown(name))" + (address.track.map { ", video track \($0)," } ?? "")
    case .cameraClip:
      let camera = Self.decoded(path.dropFirst("/cameras/".utf8.count).dropLast(".mp4".utf8.count))
      return camera.isEmpty ? "clips of no camera" : "clips of the camera \(camera)"
    default:
      var encoded = path.dropFirst("/recordings/".utf8.count)
      // The extension `.raw` stays, as it shows that a refused file was sent unchanged.
      if encoded.hasSuffix(".mp4") { encoded = encoded.dropLast(4) }
      return Self.decoded(encoded)
    }
  }

  private static func decoded(_ encoded: ArraySlice<UInt8>) -> String {
    String(decoding: PercentEncoding.decode(encoded) ?? Array(encoded), as: UTF8.self)
  }
}
