internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// Clips and pictures from an open recording. Their bytes are read from the cache, or fetched from the robot if they
/// are not cached.
extension Playback {
  /// Writes a range of seconds of the recording as a plain MP4, cut at exact pictures. The file is written completely
  /// or not at all. No robot is needed if that range is cached.
  ///
  /// - Parameters:
  ///   - seconds: the time range in the presentation, which begins at 0. It is limited to the end of the presentation.
  ///   - path: the path of the file, in a folder that exists. A file of that name is replaced.
  /// - Throws: the errors of `PlaybackReader.read`; `.refused` with `RobotError.notMade` if the range is too long or
  ///   outside the recording, and with `.notFound` if no film can be made of the recording; `.file` if the file cannot
  ///   be written.
  public func exportClip(seconds: Range<Double>, to path: String) async throws(MediaCacheError) {
    guard let start = DecimalSeconds(seconds.lowerBound), let end = DecimalSeconds(seconds.upperBound), start < end
    else {
      throw .refused(
        key, .malformed("\(seconds.lowerBound) to \(seconds.upperBound) seconds is not a valid time range"))
    }
    let bytes: Composition
    do throws(PlaybackViewError) { bytes = try await film.clip(start: start, end: end).bytes } catch {
      throw MediaCacheError(error, of: key)
    }
    let file: ClipFile
    do throws(SystemError) { file = try ClipFile(path) } catch { throw .file(FileFailure(error)) }
    do throws(StorageError) { try await file.begin() } catch { throw .file(FileFailure(error)) }
    try await read(bytes) { (piece) throws(MediaCacheError) in
      do throws(StorageError) { try await file.write(piece) } catch { throw .file(FileFailure(error)) }
    }
    do throws(StorageError) { try await file.finish() } catch { throw .file(FileFailure(error)) }
  }

  /// Returns the picture at a moment: the key frame that is shown then, or the last one before it. No robot is needed
  /// if the key frame is cached.
  ///
  /// - Parameter seconds: the moment in the presentation, from 0 on; a moment beyond the end means the last key frame.
  /// - Returns: an MP4 of exactly this sample, for any decoder.
  /// - Throws: the errors of `exportClip`.
  public func keyFrame(at seconds: Double) async throws(MediaCacheError) -> [UInt8] {
    guard let moment = DecimalSeconds(seconds) else {
      throw .refused(key, .malformed("\(seconds) seconds is not a valid time in a recording"))
    }
    let bytes: Composition
    do throws(PlaybackViewError) { bytes = try await film.keyFrame(at: moment).bytes } catch {
      throw MediaCacheError(error, of: key)
    }
    return try await read(bytes)
  }

  /// Returns the key frame at a moment if all of it is on this device. The robot is not asked.
  ///
  /// - Returns: nil if the key frame is not cached, or does not exist.
  func keyFrameHere(at moment: DecimalSeconds) async -> [UInt8]? {
    guard let bytes = await film.keyFrameHere(at: moment) else { return nil }
    // The reason why it cannot be read does not matter: it is not here.
    return try? await read(bytes)
  }

  /// The largest number of bytes that are read at once.
  private static let pieceLength = 256 << 10

  private func read(_ bytes: Composition) async throws(MediaCacheError) -> [UInt8] {
    var all: [UInt8] = []
    try await read(bytes) { (piece) throws(MediaCacheError) in all += piece }
    return all
  }

  private func read(
    _ bytes: Composition, _ take: ([UInt8]) async throws(MediaCacheError) -> Void
  ) async throws(MediaCacheError) {
    for slice in bytes.slices {
      switch slice {
      case .literal(let literal): try await take(Array(literal))
      case .range(_, let range):
        let reader = try reader(of: range, for: .preload)
        var offset = range.lowerBound
        while offset < range.upperBound {
          let piece = try await reader.read(at: offset, count: Self.pieceLength)
          offset += UInt64(piece.count)
          try await take(piece)
        }
      }
    }
  }

  /// Fetches the film from a moment on for a duration, and returns when it plays there without the robot. It fetches
  /// the segment that contains the moment, and those that follow it. See `preload(secondsOfFilm:)`.
  ///
  /// - Parameters:
  ///   - seconds: the moment, from the recording's beginning on.
  ///   - duration: the time to fetch after the moment.
  /// - Throws: the errors of `preload(secondsOfFilm:)`.
  public func preload(around seconds: Double, for duration: Duration = .seconds(10)) async throws(MediaCacheError) {
    let start = max(0, seconds)
    try await preload(secondsOfFilm: start..<(start + max(0.001, duration / .seconds(1))))
  }
}

extension MediaCacheError {
  init(_ error: PlaybackViewError, of key: RecordingKey) {
    switch error {
    case .cache(let error): self = error
    case .robot(let error): self = .refused(key, error)
    case .absent(let code, let words):
      self = .refused(key, .notFound(name: key.name, code: RobotError.Code(rawValue: code), reason: words))
    case .malformed(let code, let words):
      self = .refused(key, .notMade(name: key.name, code: RobotError.Code(rawValue: code), reason: words))
    }
  }
}

/// A file that is written piece by piece, on a separate thread.
private actor ClipFile {
  private let path: String
  private let queue: WorkQueue
  private var file: TemporaryFile?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  init(_ path: String) throws(SystemError) {
    self.path = path
    queue = try WorkQueue(name: "clip-file")
  }

  func begin() throws(StorageError) {
    try FileTree.expectReplaceable(path)
    file = try TemporaryFile(in: FileTree.folder(of: path))
  }

  func write(_ bytes: [UInt8]) throws(StorageError) { try file?.write(bytes) }

  func finish() throws(StorageError) {
    guard let file else { return }
    try file.sync()
    try file.rename(replacing: path)
    try FileTree.sync(folder: FileTree.folder(of: path))
  }
}
