internal import FootageAPI
internal import FootageBase
internal import FootageSystem
internal import Synchronization

/// The sample indexes of the video tracks that films do not show, made when they are requested, and kept in memory for
/// a while.
final class TrackIndexes: Sendable {
  private struct State {
    var kept: [FilmAddress: (index: BoundComposition, lastUse: UInt64)] = [:]
    var uses: UInt64 = 0
    /// The length of all kept indexes in bytes.
    var length: UInt64 = 0
  }

  private let state = Mutex(State())

  /// The most indexes that are kept. Few viewers show another track at the same time.
  static let mostKept = 32
  /// The most bytes of all kept indexes. The index of an hour has about a megabyte.
  static let mostBytes: UInt64 = 64 << 20

  /// Returns the index of a track, which `make` makes unless it is kept. Blocks as long as `make` does.
  ///
  /// - Parameter address: the address of the track's film. It has the name and the version of the recording in it.
  func index(
    of address: FilmAddress, _ make: () throws(LibraryError) -> BoundComposition
  ) throws(LibraryError) -> BoundComposition {
    if let known = kept(address) { return known }
    let made = try make()
    keep(made, address)
    return made
  }

  private func kept(_ address: FilmAddress) -> BoundComposition? {
    state.withLock { state in
      guard let known = state.kept[address] else { return nil }
      state.uses += 1
      state.kept[address]?.lastUse = state.uses
      return known.index
    }
  }

  private func keep(_ index: BoundComposition, _ address: FilmAddress) {
    guard index.length <= Self.mostBytes else { return }
    state.withLock { state in
      if let old = state.kept[address] { state.length -= old.index.length }
      state.uses += 1
      state.kept[address] = (index, state.uses)
      state.length += index.length
      while state.kept.count > Self.mostKept || state.length > Self.mostBytes,
        let oldest = state.kept.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.kept[oldest.key] = nil
        state.length -= oldest.value.index.length
      }
    }
  }

  /// The number of kept indexes.
  var count: Int { state.withLock { $0.kept.count } }
}
