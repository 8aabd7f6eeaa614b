internal import FootageAPI
internal import Formats
internal import Synchronization

/// The views that were asked for last, so that what many look at, or one asks for in pieces, is made once.
///
/// Bound to versions: another version of a recording has another tag.
final class ViewCache: Sendable {
  struct Key: Hashable {
    /// Of the recording, without quotes.
    let tag: String
    let seconds: DecimalSeconds
  }

  fileprivate struct Entry {
    let composition: Composition
    let literalByteCount: Int
    var lastUse: UInt64
  }

  fileprivate struct State {
    var entries: [Key: Entry] = [:]
    /// Of versions that have no such view, or end whoever looks for it, by tag.
    var failures: [String: ViewFailure] = [:]
    var literalByteCount = 0
    var uses: UInt64 = 0
  }

  private let state = Mutex(State())

  private static let countLimit = 512
  /// Of literal bytes.
  private static let byteLimit = 4 << 20

  subscript(key: Key) -> Composition? {
    state.withLock { state in
      state.uses += 1
      state.entries[key]?.lastUse = state.uses
      return state.entries[key]?.composition
    }
  }

  /// Why a version has none; nil where it may have one.
  func failure(of tag: String) -> ViewFailure? { state.withLock { $0.failures[tag] } }

  func keep(_ failure: ViewFailure, of tag: String) {
    state.withLock { state in
      if state.failures.count >= Self.countLimit { state.failures = [:] }
      state.failures[tag] = failure
    }
  }

  func keep(_ composition: Composition, for key: Key) {
    let count = composition.slices.reduce(0) { sum, slice in
      if case .literal(let bytes) = slice { sum + bytes.count } else { sum }
    }
    guard count <= Self.byteLimit / 4 else { return }
    state.withLock { state in
      state.uses += 1
      state.remove(key)
      state.entries[key] = Entry(composition: composition, literalByteCount: count, lastUse: state.uses)
      state.literalByteCount += count
      while state.entries.count > Self.countLimit || state.literalByteCount > Self.byteLimit {
        guard let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        state.remove(oldest.key)
      }
    }
  }
}

extension ViewCache.State {
  fileprivate mutating func remove(_ key: ViewCache.Key) {
    if let entry = entries.removeValue(forKey: key) { literalByteCount -= entry.literalByteCount }
  }
}
