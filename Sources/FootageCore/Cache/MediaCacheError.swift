internal import FootageSystem

/// What a ``MediaCache``, a ``Playback`` or a reader fails with. Its `description` is a sentence for people, most often
/// with what to do.
public enum MediaCacheError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process has this folder, or another cache of this one.
  case owned(folder: String)
  /// The folder cannot be used, or the cache was closed.
  case folder(FileFailure)
  /// The index of the cache cannot be used.
  case database(FileFailure)
  /// A version without a strong tag, or longer than a file can be.
  case notBindable(RecordingKey, RecordingVersion)
  /// Nothing of it is in the cache.
  case notCached(RecordingKey)
  /// Bytes that the recording, or the reader's range, does not have were asked for. Its length is in bytes.
  case outside(RecordingKey, Range<UInt64>, length: UInt64)
  /// The robot did not answer for so long that the readers were let go; a later read tries again.
  case unreachable(RecordingKey, RobotError)
  /// The robot has other bytes under that name now, or none.
  case replaced(RecordingKey, RobotError)
  /// These bytes will not come: the robot does not give them, or somebody else answers in its place
  /// (`RobotError.trust`).
  case refused(RecordingKey, RobotError)
  /// These bytes are not cached, and the recording was opened without its robot.
  case offline(RecordingKey)
  /// What was to be kept cannot be: the quota or the disk is full, the folder fails, or there is no cache. It plays.
  case noRoom(RecordingKey, reason: FileFailure)
  /// Not all of it is in the cache; both in bytes.
  case notComplete(RecordingKey, cachedBytes: UInt64, length: UInt64)
  /// Bytes in the cache are not what was received: they were set aside, and have not come again.
  case damaged(RecordingKey, Range<UInt64>)
  /// A file of the app's own cannot be written: no room, no folder, or no right to.
  case file(FileFailure)
  /// Players cannot be served on this machine.
  case proxy(String)
  /// The reader was closed, or its task cancelled.
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
  /// Why nothing is kept, where that is what it says.
  var failure: FileFailure {
    switch self {
    case .owned: FileFailure(.inUse, description)
    case .folder(let failure), .database(let failure), .noRoom(_, let failure), .file(let failure):
      FileFailure(failure.reason, description)
    default: FileFailure(.other, description)
    }
  }

  /// Runs `body`, whose failures are the folder's.
  static func files<Result>(_ body: () throws(StorageError) -> Result) throws(MediaCacheError) -> Result {
    do throws(StorageError) { return try body() } catch { throw .folder(FileFailure(error)) }
  }

  /// Runs `body`, whose failures are the index's.
  static func index<Result>(_ body: () throws(SQLiteError) -> Result) throws(MediaCacheError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw .database(FileFailure(error)) }
  }
}
