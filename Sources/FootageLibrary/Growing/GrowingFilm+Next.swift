package import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// What who watches a film while it grows gets next.
package enum NextOfFilm: Sendable {
  /// With the place to ask from then on, and how much was left out, in milliseconds.
  case fragments(Representation, next: FilmCursor, skippedMilliseconds: Int64?)
  /// Nothing has come since.
  case nothing
  /// Nothing more will come.
  case closed
}

extension GrowingFilm {
  /// What has come since a place in it. Waits for no disk.
  ///
  /// - Parameter cursor: nil begins with the last key frame.
  /// - Returns: nil where the place is in no film.
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
