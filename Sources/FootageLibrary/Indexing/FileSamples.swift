internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The sample index of a file, with its summary and notes.
struct FileSamples {
  /// The summary; nil if an attempt to make an index failed for a reason that may be temporary.
  var summary: IndexSummary?
  /// The index; empty if there is none.
  var index: [UInt8] = []
  /// The notes, one sentence each.
  var notes: [String] = []

  private static let consequence = "no films or clips can be made of it"

  /// The result for a file for which the process that makes the index died.
  static let fatal = FileSamples(
    summary: IndexSummary.none, notes: ["\(consequence): reading its samples takes too much memory or time"])

  /// Makes the index of a file that can be served. A recording can be played without an index, so a file without one is
  /// not refused. Reads the tables and the beginnings of some samples; blocks.
  static func of(_ file: some ByteSource<StorageError>, by index: MovieIndex) -> FileSamples {
    do throws(MP4Error) {
      let made = try SampleIndex.make(of: try MovieTables.make(of: file, by: index), media: file)
      let length = UInt64(made.bytes.count)
      let keyInterval = made.keyInterval.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
      guard length <= IndexSummary.lengthLimit else {
        return FileSamples(
          summary: IndexSummary(length: 0, keyInterval: keyInterval),
          notes: made.notes + [
            "\(consequence): its index would have \(length) bytes, more than \(IndexSummary.lengthLimit)"
          ])
      }
      return FileSamples(
        summary: IndexSummary(length: length, shift: length > 0 ? made.shift : nil, keyInterval: keyInterval),
        index: made.bytes, notes: made.notes)
    } catch {
      let note = "\(consequence): \(error)"
      if case .unreadable = error { return FileSamples(summary: nil, notes: [note]) }
      return FileSamples(summary: IndexSummary.none, notes: [note])
    }
  }
}
