internal import FootageBase
internal import FootageSystem

/// The facts about retention that are stored for the next run, and for `footage list` while the server runs. They are
/// text in the state folder.
struct RetentionRecord: Hashable {
  var clock: RetentionClock.Record?
  /// The bytes of the disk that are kept free; nil without such a rule.
  var keptFree: UInt64?

  static let name = "retention"
  private static let limit: UInt64 = 4_096

  /// - Returns: nil if there is no record, or it cannot be read.
  static func read(at place: LibraryPaths) -> RetentionRecord? {
    guard let file = try? RandomAccessFile(path: "\(place.state)/\(name)"), file.length <= limit,
      let bytes = try? file.bytes(at: 0, count: Int(file.length))
    else { return nil }
    return RetentionRecord(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Returns whether a file contains a line of such a record. Blocks.
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

  /// Parses one record per line; the lines of later versions of Footage are ignored.
  init(text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if let record = RetentionClock.Record(text: String(line)) { clock = record }
      if words.count == 2, words[0] == "keep-free" { keptFree = UInt64(words[1]) }
    }
  }

  var text: String { (clock?.text ?? "") + (keptFree.map { "keep-free \($0)\n" } ?? "") }
}
