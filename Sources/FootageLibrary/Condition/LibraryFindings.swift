internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// Facts about all recordings of a folder that a person should know, but that are no trouble of the server
/// (`footage doctor`).
package struct LibraryFindings: Hashable, Sendable {
  /// The number of recordings that older rules made, and that can be rebuilt.
  package var olderRules = 0
  /// The number of recordings that begin at the same moment as another one of their camera, according to times that
  /// were guessed from names.
  package var sharedStarts = 0
  /// The names of two recordings that share a start; empty if there are none.
  package var examples: [String] = []

  package init() {}

  /// - Parameter recordings: in the order of their starts, earliest or latest first.
  package init(_ recordings: some Sequence<Recording>) {
    var group: [Recording] = []
    for recording in recordings {
      if recording.isOfOlderRules { olderRules += 1 }
      guard recording.start.source == .name else { continue }
      if let first = group.first, first.startedAt != recording.startedAt {
        countShared(group)
        group.removeAll(keepingCapacity: true)
      }
      group.append(recording)
    }
    countShared(group)
  }

  /// Counts the recordings of each camera among those that begin at one moment.
  private mutating func countShared(_ group: [Recording]) {
    guard group.count > 1 else { return }
    for (_, shared) in Dictionary(grouping: group, by: { ExactName($0.camera) }) where shared.count > 1 {
      sharedStarts += shared.count
      let names = shared.map { ExactName($0.name) }.sorted().prefix(2).compactMap(\.text)
      if examples.isEmpty || names.lexicographicallyPrecedes(examples) { examples = names }
    }
  }

  /// Reads the facts from the catalog of a folder while no server runs, without changing anything. Blocks.
  ///
  /// - Returns: nil if there is no catalog, or it cannot be read.
  package static func ofCatalog(recordings: String, state: String?, naming: RecordingNaming) -> LibraryFindings? {
    guard let folder = try? FileTree.canonical(recordings) else { return nil }
    let place = LibraryPaths(recordings: folder, state: state ?? "\(folder)/.footage")
    guard FileTree.exists(place.catalog), let catalog = try? Catalog.open(at: place, access: .readOnly),
      let rows = try? catalog.load(
        device: 0, naming: naming, now: UnixTimestamp(nanoseconds: Clock.system.unixNanoseconds))
    else { return nil }
    return LibraryFindings(rows.map(\.recording).sorted { $0.startedAt < $1.startedAt })
  }
}

extension LibrarySnapshot {
  /// The facts about the recordings that a person should know. Visits all recordings: do not call on an event loop.
  package var findings: LibraryFindings { LibraryFindings(recordings) }
}
