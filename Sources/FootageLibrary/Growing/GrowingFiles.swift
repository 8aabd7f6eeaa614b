internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The growing files, in the process that reads them, with the index that was built from each so far.
final class GrowingFiles {
  private struct Entry {
    var indexer: GrowingIndexer
    var lastUse: UInt64
  }

  private var entries: [UInt64: Entry] = [:]
  private var uses: UInt64 = 0

  /// The maximum number of files, which is more than the cameras of any robot. If there are more, a file is dropped,
  /// and later read again in full.
  private static let limit = 256

  /// Examines how far a file has grown since the last call with its key, and returns the growth with a report.
  func look(
    _ file: some ByteSource, key: UInt64, isClosed: Bool
  ) -> (growth: [UInt8], report: GrowthReport) {
    var entry = entries.removeValue(forKey: key) ?? Entry(indexer: GrowingIndexer(), lastUse: 0)
    do throws(MP4Error) {
      let growth = try entry.indexer.look(file, isClosed: isClosed)
      if !isClosed { keep(entry, key) }
      return growth.map { ($0.encoded, .grown) } ?? ([], .nothing)
    } catch {
      guard case .unreadable = error else { return ([], .over(error.description)) }
      // Keep everything that was read so far.
      keep(entry, key)
      return ([], .unreadable(error.description))
    }
  }

  private func keep(_ entry: Entry, _ key: UInt64) {
    uses += 1
    entries[key] = Entry(indexer: entry.indexer, lastUse: uses)
    guard entries.count > Self.limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
      return
    }
    entries[oldest.key] = nil
  }
}
