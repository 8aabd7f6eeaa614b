internal import FootageBase
internal import FootageSystem

/// What the next run, and `footage list` beside this one, have to know of how room is made: text in the state folder.
struct RetentionRecord: Hashable {
  var clock: RetentionClock.Record?
  /// So much of the disk stays free, in bytes; nil where no rule says so.
  var keptFree: UInt64?

  static let name = "retention"
  private static let limit: UInt64 = 4_096

  /// - Returns: nil where there is none, or none that can be read.
  static func read(at place: LibraryPaths) -> RetentionRecord? {
    guard let file = try? RandomAccessFile(path: "\(place.state)/\(name)"), file.length <= limit,
      let bytes = try? file.bytes(at: 0, count: Int(file.length))
    else { return nil }
    return RetentionRecord(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Whether a file has a line of such a record. Blocks.
  static func hasForm(at path: String) -> Bool {
    guard let file = try? RandomAccessFile(path: path), file.length <= limit,
      let bytes = try? file.bytes(at: 0, count: Int(file.length))
    else { return false }
    return RetentionRecord(text: String(decoding: bytes, as: UTF8.self)) != RetentionRecord(clock: nil, keptFree: nil)
  }

  func write(at place: LibraryPaths) throws(StorageError) {
    try FileTree.writeDurably(Array(text.utf8), to: "\(place.state)/\(Self.name)")
  }

  init(clock: RetentionClock.Record?, keptFree: UInt64?) {
    self.clock = clock
    self.keptFree = keptFree
  }

  /// A line each; what a later program wrote is passed over.
  init(text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if let record = RetentionClock.Record(text: String(line)) { clock = record }
      if words.count == 2, words[0] == "keep-free" { keptFree = UInt64(words[1]) }
    }
  }

  var text: String { (clock?.text ?? "") + (keptFree.map { "keep-free \($0)\n" } ?? "") }
}
