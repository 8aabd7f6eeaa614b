internal import FootageMedia

extension Playback {
  /// As what an Apple player is to be given the recording: as its film where what stands before the media is too large
  /// for iOS, or is not here and the film's index is; else as it is. A film plays without its robot as well, where it is
  /// cached.
  ///
  /// It waits for the recording's first bytes, which a player asks for next.
  ///
  /// - Parameter largestPreamble: up to which a file is played as it is, in bytes.
  /// - Throws: as `PlaybackReader.read`.
  public func playerSource(
    largestPreamble: UInt64 = PlayerSource.largestPreamble
  ) async throws(MediaCacheError) -> PlayerSource {
    if await isHereAsFilmAlone { return .film }
    guard let end = try await preambleEnd(), end > largestPreamble else { return .file }
    do throws(MediaCacheError) { try await openFilm() } catch {
      guard error != .cancelled else { throw error }
      // Where no film can be made of it, a player may have more patience than it was seen to have.
      return .file
    }
    return .film
  }

  /// Of a recording, boxes that may stand before `moov`: there are two as a rule, and a file can be made of them alone.
  private static let boxLimit = 16

  /// Where what stands before the media ends, by the headers of its boxes; nil where there is no `moov` in front.
  func preambleEnd() async throws(MediaCacheError) -> UInt64? {
    guard version.length > 0 else { return nil }
    // What it fetches is what a player asks for next.
    let reader = try reader(of: 0..<version.length)
    defer { reader.close() }
    var offset: UInt64 = 0
    for _ in 0..<Self.boxLimit {
      var header: [UInt8] = []
      let count = Int(min(16, version.length - offset))
      while header.count < count {
        header += try await reader.read(at: offset + UInt64(header.count), count: count - header.count)
      }
      switch MovieHead.step(header, at: offset, of: version.length) {
      case .end(let end): return end
      case .next(let next) where next < version.length: offset = next
      case .next, .none: return nil
      }
    }
    return nil
  }
}
