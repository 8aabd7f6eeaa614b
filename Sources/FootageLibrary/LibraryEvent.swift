/// An event in the library, for the log.
package enum LibraryEvent: Hashable, Sendable, CustomStringConvertible {
  package enum Level: Hashable, Sendable { case debug, info, warning, error }

  /// A recording can be played. `milliseconds` is the time since this version was first examined. For the files that
  /// were found at the start, the log reports only the total.
  case ready(name: String, duration: Double, milliseconds: Int, isRecovered: Bool, wasInFirstScan: Bool)
  /// The recording has a peculiarity, described in the text, but can be played.
  case note(name: String, String)
  /// A recorder is writing the file.
  case recording(name: String)
  /// A file cannot be served. `isOneOfMany` is true if many of the files found at the start are refused; the log then
  /// shows it at a lower level.
  case refused(path: RelativePath, reason: String, isOneOfMany: Bool)
  case gone(name: String)
  /// A file is not a recording, because of its name or kind.
  case leftOut(path: String, reason: String, Level)
  /// All names in the folder are known; new files among them are examined from now on.
  case scanned(files: Int, milliseconds: Int)
  /// All new files that were found at the start have been examined.
  case indexed(ready: Int, refused: Int, milliseconds: Int)
  /// A recording was deleted to make room, or because of its age.
  case deleted(name: String, bytes: UInt64, reason: String)
  /// The total of the deletions in an hour.
  case deletedInHour(count: Int, bytes: UInt64)
  case warning(String)

  package var level: Level {
    switch self {
    case .ready(_, _, _, _, let wasInFirstScan): wasInFirstScan ? .debug : .info
    case .refused(_, _, let isOneOfMany): isOneOfMany ? .info : .warning
    case .indexed(_, let refused, _): refused > LibraryLimits.toldRefusals ? .warning : .info
    case .gone, .scanned, .deleted, .deletedInHour: .info
    case .note, .recording: .debug
    case .leftOut(_, _, let level): level
    case .warning: .warning
    }
  }

  package var description: String {
    switch self {
    case .ready(let name, let duration, let milliseconds, let isRecovered, _):
      "\(isRecovered ? "recovered" : "ready"): \(name), \((duration * 10).rounded() / 10) s, "
        + "indexed in \(milliseconds) ms"
    case .note(let name, let note): "\(name): \(note)"
    case .recording(let name): "recording: \(name)"
    case .refused(let path, let reason, _): "refused: \(path.text): \(reason)"
    case .gone(let name): "gone: \(name)"
    case .leftOut(let path, let reason, _): "left out: \(path): \(reason)"
    case .scanned(let files, let milliseconds): "listed the folder in \(milliseconds) ms: \(files) files"
    case .indexed(let ready, let refused, let milliseconds):
      "indexed \(ready) recordings in \(milliseconds) ms" + (refused > 0 ? ", refused \(refused)" : "")
    case .deleted(let name, let bytes, let reason): "deleted: \(name), \(Self.words(bytes: bytes)): \(reason)"
    case .deletedInHour(let count, let bytes):
      "deleted in the last hour: \(count) recording\(count == 1 ? "" : "s"), \(Self.words(bytes: bytes))"
    case .warning(let text): text
    }
  }

  /// Returns a size such as `20.9 MB`.
  static func words(bytes: UInt64) -> String {
    bytes < 1_000_000_000
      ? "\(Double(bytes / 100_000) / 10) MB" : "\(Double(bytes / 100_000_000) / 10) GB"
  }
}
