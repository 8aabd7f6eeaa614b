/// What happened in the library, for the log.
package enum LibraryEvent: Hashable, Sendable, CustomStringConvertible {
  package enum Level: Hashable, Sendable { case debug, info, warning, error }

  /// A recording can be played. `milliseconds` is what it took from the first look at this version; of what lay there
  /// at the start the sum is told.
  case ready(name: String, duration: Double, milliseconds: Int, isRecovered: Bool, wasInFirstScan: Bool)
  /// Something odd about a recording that plays all the same.
  case note(name: String, String)
  /// A recorder is at work on it.
  case recording(name: String)
  /// A file that cannot be served; of what lay there at the start, many are one of many.
  case refused(path: RelativePath, reason: String, isOneOfMany: Bool)
  case gone(name: String)
  /// Not a recording for its name or kind.
  case leftOut(path: String, reason: String, Level)
  /// All names in the folder are known; what is new among them is looked at from now on.
  case scanned(files: Int, milliseconds: Int)
  /// All that lay there at the start and was not known was looked at.
  case indexed(ready: Int, refused: Int, milliseconds: Int)
  /// Deleted to make room, or for its age.
  case deleted(name: String, bytes: UInt64, reason: String)
  /// The sum of an hour.
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

  /// `20.9 MB`.
  static func words(bytes: UInt64) -> String {
    bytes < 1_000_000_000
      ? "\(Double(bytes / 100_000) / 10) MB" : "\(Double(bytes / 100_000_000) / 10) GB"
  }
}
