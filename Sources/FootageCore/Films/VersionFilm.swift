internal import FootageBase
internal import FootageMedia
internal import FootageSystem
internal import Synchronization

/// The film of one version: its views, and the places of their bytes in what is served.
struct VersionFilm: Sendable {
  let views: RecordingViews
  /// True if the index was made here, and not by the robot, which knows its recorder's file. The views then have other
  /// tags.
  let isLocal: Bool

  /// - Returns: nil if the index is damaged, not an index, or made for other bytes than these.
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

/// The ways in which a version gets its film.
extension CachedVersion {
  /// Opens the film by the first index that is found. The kept index comes first. Next is the robot's, which is kept
  /// from then on. The last one is made from the recording's own `moov`, which is fetched only for a robot that keeps
  /// no index.
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

  /// Returns the film if this device alone has enough to open it; nil otherwise.
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

  /// True if the index is kept, but not all of the file's own head is here, without which the file does not play.
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
    guard let film else { throw .final(.notSupported("its index of \(key.name) is none")) }
    guard await store.keepIndex(bytes, of: self), let kept = await keptFilm() else { return film }
    return kept
  }

  /// - Parameter isToFetch: true if a missing `moov` is to be fetched.
  /// - Returns: nil if the `moov` is not here, or does not exist.
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

  /// The size in bytes of the windows in which the boxes after `moov` are searched for what an index needs.
  private static let scannedBytes: UInt64 = 16 << 10

  /// Fetches a range, and returns when it is here.
  private func fetch(_ range: Range<UInt64>) async throws(MediaCacheError) {
    let id = addReader(.play, range)
    defer { removeReader(id) }
    try await hold(id, durably: false)
  }

  /// Returns the end of `moov` once all of it is here; nil if it is missing or does not exist.
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
  /// True if the robot answers, but has no index that is of use here.
  fileprivate var isForWantOfIndex: Bool {
    if case .final(.notSupported) = self { true } else { false }
  }
}
