public import FootageCore
public import Foundation

extension MediaCache {
  /// Takes a folder over, which is made where it is missing. See ``init(at:quota:)-(String,_)``. On Apple's platforms it
  /// is left out of backups: what is in it comes from robots, and can be fetched again.
  ///
  /// - Parameters:
  ///   - folder: the cache's alone; in Application Support or Caches, say.
  ///   - quota: what the folder may hold.
  /// - Throws: `.folder` where the system has no thread left, or where this is no folder of this device.
  public init(at folder: URL, quota: StorageQuota) throws(MediaCacheError) {
    let path: String
    do throws(FileFailure.NoFile) { path = try folder.pathOfFile() } catch { throw .folder(error.failure) }
    try self.init(at: path, quota: quota)
    #if canImport(Darwin)
    folder.excludeFromBackup()
    #endif
  }

  /// Copies a recording that is whole here into a plain file. See ``export(_:to:)-(_,String)``.
  ///
  /// - Parameters:
  ///   - key: of a recording that is all in the cache.
  ///   - file: in a folder that exists.
  /// - Throws: `MediaCacheError`.
  public func export(_ key: RecordingKey, to file: URL) async throws(MediaCacheError) {
    let path: String
    do throws(FileFailure.NoFile) { path = try file.pathOfFile() } catch { throw .file(error.failure) }
    try await export(key, to: path)
  }
}

extension Playback {
  /// Writes some seconds of it as a plain MP4. See ``exportClip(seconds:to:)-(_,String)``.
  ///
  /// - Parameters:
  ///   - seconds: of its presentation, from 0 on; an end beyond its own is its end.
  ///   - file: in a folder that exists.
  /// - Throws: `MediaCacheError`.
  public func exportClip(seconds: Range<Double>, to file: URL) async throws(MediaCacheError) {
    let path: String
    do throws(FileFailure.NoFile) { path = try file.pathOfFile() } catch { throw .file(error.failure) }
    try await exportClip(seconds: seconds, to: path)
  }
}

extension MediaCache.Entry {
  /// Of its file: a plain `.mp4` once it is complete, a sparse one before. To be read, not to be changed.
  public var file: URL { URL(filePath: path) }
}

extension PairingStore {
  /// - Parameter folder: made with the first robot that is remembered.
  /// - Throws: `.file` where this is no folder of this device.
  public init(at folder: URL) throws(PairingError) {
    do throws(FileFailure.NoFile) { self.init(folder: try folder.pathOfFile()) } catch { throw .file(error.failure) }
  }
}
