internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The files that grow, in the process that reads them: what was folded of each so far.
final class GrowingFiles {
  private struct Entry {
    var indexer: GrowingIndexer
    var lastUse: UInt64
  }

  private var entries: [UInt64: Entry] = [:]
  private var uses: UInt64 = 0

  /// More than any robot has cameras; of one that is forgotten everything is read again.
  private static let limit = 256

  /// What has come to a file since it was asked for last, and what to say of it.
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
      // What was taken in stays so.
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
