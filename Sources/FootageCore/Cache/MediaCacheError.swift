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
  /// The robot now has other bytes under that name, or none.
  case replaced(RecordingKey, RobotError)
  /// These bytes will not come: the robot refuses them, or another server answers in its place (`RobotError.trust`).
  case refused(RecordingKey, RobotError)
  /// These bytes are not cached, and the recording was opened without its robot.
  case offline(RecordingKey)
  /// The bytes cannot be kept: the quota or the disk is full, the folder fails, or there is no cache. The recording
  /// plays.
  case noRoom(RecordingKey, reason: FileFailure)
  /// The recording is not complete in the cache. Both numbers are in bytes.
  case notComplete(RecordingKey, cachedBytes: UInt64, length: UInt64)
  /// Bytes in the cache are not what was received. They were set aside, and have not come again.
  case damaged(RecordingKey, Range<UInt64>)
  /// A file of the app's own cannot be written: there is no room, no folder, or no permission.
  case file(FileFailure)
  /// Players cannot be served on this machine.
  case proxy(String)
  /// The reader was closed, or its task was cancelled.
  case cancelled

  public var description: String {
    switch self {
    case .owned(let folder):
      "the cache \(folder) is in use by another process: end that one, or give this one another folder"
    case .folder(let error): "the cache folder cannot be used: \(error)"
    case .database(let error): "the cache cannot be used: \(error)"
    case .notBindable(let key, let version):
      "\(key) cannot be cached: its tag '\(version.tag)' with \(version.length) bytes says nothing about its bytes; "
        + "the robot, or a proxy in between, has to send a strong ETag"
    case .notCached(let key): "\(key) is not in the cache: connect to its robot"
    case .outside(let key, let range, let length):
      "\(key) has \(length) bytes, and bytes \(range.lowerBound) to \(range.upperBound) were asked for"
    case .unreachable(let key, let error):
      "\(key) cannot be read on: \(error); it goes on when the robot is there again"
    case .replaced(let key, let error): "\(key) has changed since it was opened: open it again (\(error))"
    case .refused(let key, let error): "\(key) cannot be read on: \(error)"
    case .offline(let key): "\(key) is not all here, and was opened without its robot: connect to that"
    case .noRoom(let key, let reason): "\(key) cannot be kept: \(reason); it still plays while its robot is there"
    case .notComplete(let key, let cachedBytes, let length):
      "\(key) is not all in the cache: \(cachedBytes) of \(length) bytes are; play or fetch it with its robot first"
    case .damaged(let key, let range):
      "\(key) is damaged in the cache at bytes \(range.lowerBound) to \(range.upperBound - 1): they are fetched again "
        + "when its robot is there"
    case .file(let failure): failure.description
    case .proxy(let reason): "players cannot be served on 127.0.0.1: \(reason)"
    case .cancelled: "the read was cancelled"
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

  /// Runs `body`, and throws its failures as those of the folder.
  static func files<Result>(_ body: () throws(StorageError) -> Result) throws(MediaCacheError) -> Result {
    do throws(StorageError) { return try body() } catch { throw .folder(FileFailure(error)) }
  }

  /// Runs `body`, and throws its failures as those of the index.
  static func index<Result>(_ body: () throws(SQLiteError) -> Result) throws(MediaCacheError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw .database(FileFailure(error)) }
  }
}
