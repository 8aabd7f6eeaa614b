internal import FootageMedia

extension Playback {
  /// Returns the form in which an Apple player should get the recording: the film or the file. It is the film if the
  /// bytes before the media are too many for iOS. It is also the film if the index of the film is cached and the bytes
  /// before the media are not, because a cached film plays without its robot. Otherwise it is the file.
  ///
  /// The function waits for the recording's first bytes, which a player needs next anyway.
  ///
  /// - Parameter largestPreamble: the largest number of bytes before the media with which the file itself is played.
  /// - Throws: the errors of `PlaybackReader.read`.
  public func playerSource(
    largestPreamble: UInt64 = PlayerSource.largestPreamble
  ) async throws(MediaCacheError) -> PlayerSource {
    if await isHereAsFilmAlone { return .film }
    guard let end = try await preambleEnd(), end > largestPreamble else { return .file }
    do throws(MediaCacheError) { try await openFilm() } catch {
      guard error != .cancelled else { throw error }
      // If no film can be made of it, the file is worth a try: a player may accept more than it was seen to accept.
      return .file
    }
    return .film
  }

  /// The number of boxes at the beginning of the file among which `moov` is searched for. Usually two boxes precede it,
  /// but a file can have any number of them.
  private static let boxLimit = 16

  /// Returns the end of the bytes before the media, by the headers of their boxes; nil if no `moov` precedes the media.
  func preambleEnd() async throws(MediaCacheError) -> UInt64? {
    guard version.length > 0 else { return nil }
    // The bytes that this fetches are those that a player asks for next.
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
