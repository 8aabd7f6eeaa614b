internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageSystem

/// A tally of the bytes that viewers receive of recordings on one loop. With it, a playback is one line in the log
/// instead of sixty. Belongs to the loop's thread, and passes its sums to the audit trail about once a second.
///
/// A further range of the same recording costs a hash over a few bytes and a table lookup.
final class PlaybackTally: ExchangeObserver {
  /// The sums for one viewer and one recording since they were last passed to the audit trail.
  private final class Entry {
    let viewer: AuditTrail.Viewer
    let path: [UInt8]
    var bytes: UInt64 = 0
    var requests = 0
    /// The number of seconds in which nothing was added.
    var idleSeconds = 0

    init(_ viewer: AuditTrail.Viewer, _ path: [UInt8]) {
      self.viewer = viewer
      self.path = path
    }
  }

  private var entries: [UInt64: Entry] = [:]
  private let trail: AuditTrail

  /// The maximum number of entries at a time. If there are more, bytes are counted without viewer and recording.
  private static let limit = 4_096
  private static let idleSeconds = 5

  init(_ trail: AuditTrail) { self.trail = trail }

  var wantsDurations: Bool { false }

  func ended(_ exchange: borrowing HTTPExchange) {
    guard exchange.byteCount > 0, let request = exchange.request, request.method == .get,
      exchange.status == .ok || exchange.status == .partialContent,
      RequestRoute(request.path).carriesRecordedBytes
    else { return }
    let path = Self.subject(of: request)
    let (peer, identity) = (exchange.peer, exchange.identity)
    var key = Self.hash(path, identity?.certificateDigest ?? peer.addressBytes)
    while let entry = entries[key], !(entry.path.elementsEqual(path) && entry.viewer.isSame(identity, peer)) {
      key &+= 1
    }
    let entry: Entry
    if let known = entries[key] {
      entry = known
    } else {
      guard entries.count < Self.limit else { return trail.missed(exchange.byteCount) }
      entry = Entry(AuditTrail.Viewer(identity: identity, peer: peer), Array(path))
      entries[key] = entry
    }
    entry.bytes &+= exchange.byteCount
    entry.requests += 1
    entry.idleSeconds = 0
  }

  func connectionFailed(_ error: StreamError, from peer: SocketAddress) {}

  /// Passes the sums to the audit trail. Call it about once a second.
  func secondPassed() {
    guard !entries.isEmpty else { return }
    trail.add(entries.values.lazy.filter { $0.requests > 0 }.map { ($0.viewer, $0.path, $0.bytes, $0.requests) })
    for entry in entries.values {
      (entry.bytes, entry.requests) = (0, 0)
      entry.idleSeconds += 1
    }
    // All entries are removed at once: removing a single one could hide another that a hash collision has placed after
    // it.
    if entries.values.allSatisfy({ $0.idleSeconds > Self.idleSeconds }) || entries.count >= Self.limit {
      entries.removeAll(keepingCapacity: entries.count < 64)
    }
  }

  /// Returns the part of the path under which a request is counted. All pictures have one entry, because viewers
  /// request many of them. The parts of a film also have one entry, under their common prefix.
  private static func subject(of request: RequestHead) -> ArraySlice<UInt8> {
    guard request.query?.starts(with: "keyframe=".utf8) != true else { return [] }
    let path = written(request.path)
    guard RequestRoute(written: path) == .film, let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return path }
    if path[(slash + 1)...].first == UInt8(ascii: "k") { return [] }
    // The same film with other sound is no other playback.
    let folder = path[..<slash]
    if let before = folder.lastIndex(of: UInt8(ascii: "/")),
      FilmSound(name: String(decoding: folder[(before + 1)...], as: UTF8.self)) != nil
    {
      return path[...before]
    }
    return path[...slash]
  }

  /// Returns the path, without needless percent-encoding if it has any.
  private static func written(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    RequestRoute(written: path).carriesRecordedBytes ? path : PercentEncoding.normalized(path)
  }

  private static func hash(_ path: ArraySlice<UInt8>, _ viewer: [UInt8]) -> UInt64 {
    var hash = FNV1a()
    hash.add(path)
    hash.add(viewer[...])
    return hash.value
  }
}
