/// Which recordings of the list are wanted, and where a page ends.

package import Formats

package struct ListQuery: Hashable, Sendable {
  package enum StateFilter: String, Hashable, Sendable { case ready, recording, refused }

  /// Of this camera alone.
  package var camera: String?
  /// Those that began at this moment or later.
  package var since: UnixTimestamp?
  /// Those that began before this moment.
  package var until: UnixTimestamp?
  package var state: StateFilter?
  /// The most on one page, 1 to `LibraryLimits.pageLength`; what is beyond is taken for the nearest.
  package var limit: Int
  /// Goes on behind the page that ended here.
  package var after: ListCursor?

  package init(
    camera: String? = nil, since: UnixTimestamp? = nil, until: UnixTimestamp? = nil, state: StateFilter? = nil,
    limit: Int = 100, after: ListCursor? = nil
  ) {
    self.camera = camera
    self.since = since
    self.until = until
    self.state = state
    self.limit = limit
    self.after = after
  }

  /// `since` and `until` are looked after by the order of the list.
  func admits(_ recording: Recording) -> Bool {
    if let camera, recording.camera.map(NameKey.init) != NameKey(camera) { return false }
    switch (state, recording.state) {
    case (nil, _), (.ready, .ready), (.recording, .recording), (.refused, .refused): return true
    default: return false
    }
  }
}

/// A place in the list, which stays when recordings come and go around it.
package struct ListCursor: Hashable, Sendable, CustomStringConvertible {
  let startedAt: UnixTimestamp
  let path: RelativePath

  init(_ recording: Recording) {
    startedAt = recording.startedAt
    path = recording.path
  }

  /// Reads what `description` wrote; nil where it is something else, such as a cursor of a version that knew seconds
  /// alone: its place is none in a list that is ordered more finely.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count % 2 == 0,
      let milliseconds = Int64(String(decoding: parts[0], as: UTF8.self))
    else { return nil }
    var bytes: [UInt8] = []
    var digits = parts[1].makeIterator()
    while let first = digits.next(), let second = digits.next() {
      guard let high = Hexadecimal.value(first), let low = Hexadecimal.value(second) else { return nil }
      bytes.append(high << 4 | low)
    }
    guard let path = String(validating: bytes, as: UTF8.self) else { return nil }
    startedAt = UnixTimestamp(milliseconds: milliseconds)
    self.path = RelativePath(path)
  }

  /// Of characters that may stand in a URL as they are.
  package var description: String { "\(startedAt.milliseconds)_\(Hexadecimal.encode(path.text.utf8))" }
}
