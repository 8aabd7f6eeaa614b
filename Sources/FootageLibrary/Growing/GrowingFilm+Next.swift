internal import FootageAPI
package import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The answer to a request for the next fragments of a growing film.
package enum NextOfFilm: Sendable {
  /// New fragments, with the cursor for the next request and the duration that was skipped, in milliseconds.
  case fragments(Representation, next: FilmCursor, skippedMilliseconds: Int64?)
  /// Nothing new has been recorded.
  case nothing
  /// The film is closed, and nothing more will be recorded.
  case closed
}

extension GrowingFilm {
  /// Returns the fragments recorded after a place in the film. Never waits for a disk.
  ///
  /// - Parameter cursor: nil to begin with the last key frame.
  /// - Returns: nil if the place is not in any film.
  package func next(after cursor: FilmCursor?) throws(LibraryError) -> NextOfFilm? {
    let number: Int?
    if let cursor {
      guard let digits = Int(cursor.text), digits > 0 else { return nil }
      number = digits
    } else {
      number = nil
    }
    let isClosed = isClosed
    guard let growth else { return .closed }
    let fragment: LiveFragment?
    do throws(ViewError) {
      fragment = try LiveFragment.next(after: number, of: growth.fragments, growth.index, growth.source)
    } catch { throw LibraryError(error, of: name) }
    guard let fragment else { return isClosed ? .closed : .nothing }
    let source = Representation.Source(
      file: growth.file, condition: .reaches(growth.index.fileLength), validity: validity)
    let view = "n\(LiveFragment.viewVersion)-\(fragment.first)-\(fragment.last)-\(fragment.composition.length)"
    let representation = Representation(
      mediaType: Recording.MediaType.mp4.rawValue, entityTag: "\"\(VersionTag.entityTag(of: id.text, view: view))\"",
      lastModified: nil, bytes: BoundComposition(fragment.composition, of: [growth.file]), source: source)
    return .fragments(
      representation, next: FilmCursor(number: fragment.last), skippedMilliseconds: fragment.skippedMilliseconds)
  }
}
