internal import FootageBase
internal import FootageMedia
internal import FootageSystem
internal import Synchronization

/// The film of one version: its views, and the ranges of the served file that hold their bytes.
struct VersionFilm: Sendable {
  let views: RecordingViews
  /// True if the index was made on this device. The robot makes its index from the recorder's file, so its views have
  /// different tags than the views of this index.
  let isLocal: Bool

  /// - Returns: nil if the index is damaged, not an index, or made for different bytes than those of `version`.
  /// - Throws: `SampleIndexError.unsupported`.
  init?(_ bytes: IndexBytes, of version: RecordingVersion, isLocal: Bool) throws(SampleIndexError) {
    do throws(SampleIndexError) {
      let index = try SampleIndex(bytes)
      guard index.places.end > 0, index.places.end <= version.length else { return nil }
      views = RecordingViews(index, bytes)
      self.isLocal = isLocal
    } catch {
      if case .unsupported = error { throw error }
      return nil
    }
  }
}

/// The sources of the film of a version.
extension CachedVersion {
  /// Opens the film with the first index that is found: the kept index; the robot's index, which is then kept; or an
  /// index that is made from the recording's own `moov`. The `moov` is fetched only if the robot has no index.
  ///
  /// - Throws: `MediaCacheError`: `.refused` with `RobotError.notFound` if no film can be made of the recording, or
  ///   with `.notSupported`; any error of reading it.
  func openFilm() async throws(MediaCacheError) -> VersionFilm {
    let film = try await anyFilm()
    state.withLock { $0.film = film }
    return film
  }

  private func anyFilm() async throws(MediaCacheError) -> VersionFilm {
    if let film = await keptFilm() { return film }
    let failure: FetchFailure
    do throws(FetchFailure) { return try await robotsFilm() } catch { failure = error }
    guard !Task.isCancelled else { throw .cancelled }
    if let film = try await ownFilm(isToFetch: failure.isForWantOfIndex) { return film }
    throw error(failure)
  }

  /// Returns the film if it can be opened with the bytes on this device; nil otherwise.
  func filmHere() async -> VersionFilm? {
    if let film = state.withLock({ $0.film }) { return film }
    if let film = await keptFilm() { return film }
    return (try? await ownFilm(isToFetch: false)) ?? nil
  }

  private func keptFilm() async -> VersionFilm? {
    guard let file = await store.openIndex(of: self) else { return nil }
    if let bytes = await disk.keptIndex(file, of: version), let film = await opened(bytes) { return film }
    await store.removeIndex(of: self)
    return nil
  }

  /// True if the index is kept, but the head of the file is not completely cached. The film can then be played without
  /// the robot, but the file cannot.
  var isHereAsFilmAlone: Bool {
    get async {
      guard await store.openIndex(of: self) != nil, let place else { return false }
      return (try? await headEnd(in: place.file, isToFetch: false)) == nil
    }
  }

  private func opened(_ bytes: IndexBytes) async -> VersionFilm? {
    let version = version
    return await disk.perform { (try? VersionFilm(bytes, of: version, isLocal: false)) ?? nil }
  }

  private func robotsFilm() async throws(FetchFailure) -> VersionFilm {
    let source = state.withLock { $0.source }
    let bytes = try await source.index(of: key, version)
    let film: VersionFilm?
    do throws(SampleIndexError) { film = try VersionFilm(IndexBytes(bytes), of: version, isLocal: false) } catch {
      throw .final(.notSupported("\(error)"))
    }
    guard let film else { throw .final(.notSupported("its sample index of \(key.name) is invalid")) }
    guard await store.keepIndex(bytes, of: self), let kept = await keptFilm() else { return film }
    return kept
  }

  /// - Parameter isToFetch: true if a missing `moov` is to be fetched.
  /// - Returns: nil if the `moov` is not cached, or does not exist.
  private func ownFilm(isToFetch: Bool) async throws(MediaCacheError) -> VersionFilm? {
    guard let place, let end = try await headEnd(in: place.file, isToFetch: isToFetch) else { return nil }
    if isToFetch { try await fetch(0..<min(version.length, end + Self.scannedBytes)) }
    guard await check(0..<end, in: place.file) else { return nil }
    let (version, available) = (version, state.withLock { $0.machine.available })
    return await disk.perform {
      let bytes = CachedRanges(file: place.file, length: version.length, available: available)
      let served = Composition([], then: [0..<version.length])
      guard let tables = try? MovieTables(served: bytes, of: served),
        let made = try? SampleIndex.make(of: tables, media: bytes), !made.bytes.isEmpty
      else { return nil }
      return (try? VersionFilm(IndexBytes(made.bytes), of: version, isLocal: true)) ?? nil
    }
  }

  /// The size in bytes of the windows in which the boxes after `moov` are scanned for the data that an index needs.
  private static let scannedBytes: UInt64 = 16 << 10

  /// Fetches a range, and returns when it is cached.
  private func fetch(_ range: Range<UInt64>) async throws(MediaCacheError) {
    let id = addReader(.play, range)
    defer { removeReader(id) }
    try await hold(id, durably: false)
  }

  /// Returns the end of `moov` once all of it is cached; nil if it is not cached or does not exist.
  private func headEnd(in file: any CacheFile, isToFetch: Bool) async throws(MediaCacheError) -> UInt64? {
    var fetched: Range<UInt64>?
    while true {
      let available = state.withLock { $0.machine.available }
      let bytes = CachedRanges(file: file, length: version.length, available: available)
      switch await disk.headEnd(of: bytes, limit: limits.headBytes) {
      case .ready(let end): return end
      case .none: return nil
      case .needs(let range):
        guard isToFetch, range != fetched else { return nil }
        fetched = range
        try await fetch(range)
      }
    }
  }
}

extension FetchFailure {
  /// True if the robot answers, but has no index that this program can use.
  fileprivate var isForWantOfIndex: Bool {
    if case .final(.notSupported) = self { true } else { false }
  }
}
