public import FootageCore
public import Foundation

extension MediaCache {
  /// Opens a cache in a folder, which is created if it is missing. See ``init(at:quota:)-(String,_)``. On Apple's
  /// platforms, the folder is excluded from backups: its content comes from robots, and can be fetched again.
  ///
  /// - Parameters:
  ///   - folder: a folder for this cache alone, for example in Application Support or Caches.
  ///   - quota: the size that the folder may have.
  /// - Throws: `.folder` if the system has no thread left, or the URL is not a folder of this device.
  public init(at folder: URL, quota: StorageQuota) throws(MediaCacheError) {
    let path: String
    do throws(FileFailure.NoFile) { path = try folder.pathOfFile() } catch { throw .folder(error.failure) }
    try self.init(at: path, quota: quota)
    #if canImport(Darwin)
    folder.excludeFromBackup()
    #endif
  }

  /// Copies a recording that is complete here into a plain file. See ``export(_:to:)-(_,String)``.
  ///
  /// - Parameters:
  ///   - key: the key of a recording that is complete in the cache.
  ///   - file: in a folder that exists.
  /// - Throws: `MediaCacheError`.
  public func export(_ key: RecordingKey, to file: URL) async throws(MediaCacheError) {
    let path: String
    do throws(FileFailure.NoFile) { path = try file.pathOfFile() } catch { throw .file(error.failure) }
    try await export(key, to: path)
  }
}

extension Playback {
  /// Writes a range of seconds of the recording as a plain MP4. See ``exportClip(seconds:to:)-(_,String)``.
  ///
  /// - Parameters:
  ///   - seconds: the time range in the presentation, which begins at 0. It is limited to the end of the presentation.
  ///   - file: in a folder that exists.
  /// - Throws: `MediaCacheError`.
  public func exportClip(seconds: Range<Double>, to file: URL) async throws(MediaCacheError) {
    let path: String
    do throws(FileFailure.NoFile) { path = try file.pathOfFile() } catch { throw .file(error.failure) }
    try await exportClip(seconds: seconds, to: path)
  }
}

extension MediaCache.Entry {
  /// The URL of the file: a plain `.mp4` once it is complete, a sparse file until then. Apps may read it, but not
  /// change it.
  public var file: URL { URL(filePath: path) }
}

extension PairingStore {
  /// - Parameter folder: created when the first robot is remembered.
  /// - Throws: `.file` if the URL is not a folder of this device.
  public init(at folder: URL) throws(PairingError) {
    do throws(FileFailure.NoFile) { self.init(folder: try folder.pathOfFile()) } catch { throw .file(error.failure) }
  }
}
