internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The sample index of a file, and what is said of it.
struct FileSamples {
  /// Nil where whether one can be made could not be found out.
  var summary: IndexSummary?
  /// Empty where there is none.
  var index: [UInt8] = []
  /// A sentence each.
  var notes: [String] = []

  private static let consequence = "no films or clips can be made of it"

  /// Of a file for which making the index ended the process that did so.
  static let fatal = FileSamples(
    summary: IndexSummary.none, notes: ["\(consequence): going through its samples takes too much memory or time"])

  /// Makes the index of a file that can be served. A recording without one plays all the same, so that nothing is wrong
  /// with a file of which none can be made. Reads the tables, and the beginnings of some samples; blocks.
  static func of(_ file: some ByteSource<StorageError>, by index: MovieIndex) -> FileSamples {
    do throws(MP4Error) {
      let made = try SampleIndex.make(of: try MovieTables.make(of: file, by: index), media: file)
      let length = UInt64(made.bytes.count)
      let keyInterval = made.keyInterval.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
      guard length <= IndexSummary.lengthLimit else {
        return FileSamples(
          summary: IndexSummary(length: 0, keyInterval: keyInterval),
          notes: made.notes + [
            "\(consequence): its index would take \(length) bytes, more than \(IndexSummary.lengthLimit)"
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
