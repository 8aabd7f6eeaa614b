internal import FootageSystem

/// The error of a ``MediaCache``, a ``Playback`` or a reader. Its `description` is a sentence for people, and usually
/// says what to do.
public enum MediaCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process, or another cache of this process, uses the folder.
  case owned(folder: String)
  /// The folder cannot be used, or the cache was closed.
  case folder(FileFailure)
  /// The index of the cache cannot be used.
  case database(FileFailure)
  /// The version has no strong tag, or is longer than a file can be.
  case notBindable(RecordingKey, RecordingVersion)
  /// Nothing of the recording is in the cache.
  case notCached(RecordingKey)
  /// The requested bytes are outside the recording, or outside the reader's range. The recording's length is in bytes.
  case outside(RecordingKey, Range<UInt64>, length: UInt64)
  /// The robot did not answer for so long that the readers were released. A later read tries again.
  case unreachable(RecordingKey, RobotError)
  /// The robot now has a different version under that name, or no recording.
  case replaced(RecordingKey, RobotError)
  /// These bytes cannot be fetched: the robot refuses them, or another server answers in its place
  /// (`RobotError.trust`).
  case refused(RecordingKey, RobotError)
  /// These bytes are not cached, and the recording was opened without its robot.
  case offline(RecordingKey)
  /// The bytes cannot be kept: the quota or the disk is full, the folder fails, or there is no cache. The recording can
  /// be played nevertheless.
  case noRoom(RecordingKey, reason: FileFailure)
  /// The recording is not complete in the cache. Both numbers are in bytes.
  case notComplete(RecordingKey, cachedBytes: UInt64, length: UInt64)
  /// Bytes in the cache differ from what was received. They were set aside, and could not be fetched again.
  case damaged(RecordingKey, Range<UInt64>)
  /// A file of the app's own cannot be written: there is no room, no folder, or no permission.
  case file(FileFailure)
  /// Players cannot be served on this machine. Only the call that needs the proxy throws this; no ``PlaybackState``
  /// reports it.
  case proxy(String)
  /// The reader was closed, or its task was canceled.
  case cancelled

  public var description: String {
    switch self {
    case .owned(let folder):
      "the cache \(folder) is in use by another process: end that process, or use a different folder"
    case .folder(let error): "the cache folder cannot be used: \(error)"
    case .database(let error): "the cache cannot be used: \(error)"
    case .notBindable(let key, let version):
      "\(key) cannot be cached: its ETag '\(version.tag)' is not strong, or its length of \(version.length) bytes is invalid; "
        + "the robot, or a proxy in between, must send a strong ETag"
    case .notCached(let key): "\(key) is not in the cache: connect to its robot"
    case .outside(let key, let range, let length):
      "\(key) has \(length) bytes, but bytes \(range.lowerBound) to \(range.upperBound) were requested"
    case .unreachable(let key, let error):
      "\(key) cannot be read now: \(error); reading continues when the robot can be reached again"
    case .replaced(let key, let error): "\(key) has changed since it was opened: open it again (\(error))"
    case .refused(let key, let error): "\(key) cannot be read: \(error)"
    case .offline(let key): "\(key) is only partly cached, and was opened without its robot: connect to the robot"
    case .noRoom(let key, let reason):
      "\(key) cannot be cached: \(reason); it still plays while its robot can be reached"
    case .notComplete(let key, let cachedBytes, let length):
      "\(key) is only partly cached: \(cachedBytes) of \(length) bytes; play it or fetch it from its robot first"
    case .damaged(let key, let range):
      "\(key) is damaged in the cache at bytes \(range.lowerBound) to \(range.upperBound - 1): they will be fetched "
        + "again when its robot can be reached"
    case .file(let failure): failure.description
    case .proxy(let reason): "players cannot be served on 127.0.0.1: \(reason)"
    case .cancelled: "the read was canceled"
    }
  }
}

extension MediaCacheError {
  /// The reason why nothing is kept, according to this error.
  var failure: FileFailure {
    switch self {
    case .owned: FileFailure(.inUse, description)
    case .folder(let failure), .database(let failure), .noRoom(_, let failure), .file(let failure):
      FileFailure(failure.reason, description)
    default: FileFailure(.other, description)
    }
  }

  /// Runs `body`, and throws its errors as `.folder`.
  static func files<Result>(_ body: () throws(StorageError) -> Result) throws(MediaCacheError) -> Result {
    do throws(StorageError) { return try body() } catch { throw .folder(FileFailure(error)) }
  }

  /// Runs `body`, and throws its errors as `.database`.
  static func index<Result>(_ body: () throws(SQLiteError) -> Result) throws(MediaCacheError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw .database(FileFailure(error)) }
  }
}
