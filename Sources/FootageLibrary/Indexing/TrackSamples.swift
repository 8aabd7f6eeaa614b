internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The sample index of a file in which another video track leads than the one that films show.
enum TrackSamples: Sendable {
  case index(BoundComposition)
  /// The file has no such track, or no film can be made of it.
  case none(String)
  /// The index could not be made, for a reason that may be temporary.
  case unavailable(String)

  /// Makes the index. Reads the tables and the beginnings of some samples; blocks.
  ///
  /// - Parameter track: the number of the video track, from 1 on.
  /// - Returns: the index, which is empty if there is none, and the reason why there is none.
  static func make(of file: some ByteSource<StorageError>, track: Int) -> (index: [UInt8], reason: String) {
    do throws(MP4Error) {
      switch try MovieIndex.make(of: file) {
      case .incomplete(let error): return ([], error.description)
      case .ready(let index): return made(try MovieTables.make(of: file, by: index), media: file, track: track)
      }
    } catch { return ([], error.description) }
  }

  /// Makes the index from the tables of the served bytes.
  static func made(_ tables: MovieTables, media: some ByteSource, track: Int) -> (index: [UInt8], reason: String) {
    do throws(MP4Error) {
      let made = try SampleIndex.make(of: tables, media: media, track: track)
      guard UInt64(made.bytes.count) <= IndexSummary.lengthLimit else { return ([], "its index would be too long") }
      return (made.bytes, made.bytes.isEmpty ? made.notes.first ?? "no film can be made of it" : "")
    } catch { return ([], error.description) }
  }

  init(_ made: (index: [UInt8], reason: String)) {
    self = made.index.isEmpty ? .none(made.reason) : .index(BoundComposition(made.index))
  }
}
