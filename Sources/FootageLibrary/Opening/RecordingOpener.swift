/// Opens recordings: those of a folder, or those that stores have of many robots.
package protocol RecordingOpener: AnyObject, Sendable {
  /// What grows, or has grown within the last day.
  var films: GrowingFilms { get }

  /// Opens something of a recording, and again, or at once, with what there is in place of its preamble and index. Blocks.
  func mending<Opened>(
    _ recording: Recording, _ open: (_ rebuilt: DerivedFiles?) throws(LibraryError) -> Opened
  ) throws(LibraryError) -> Opened

  /// The manifest of a ready recording, or word that it is being made. Blocks.
  func manifest(of recording: Recording, for urgency: ManifestUrgency) throws(LibraryError) -> ManifestAnswer

  /// Something about what lies at a path is not as it was.
  func requestLook(at path: RelativePath)
}

extension RecordingLibrary: RecordingOpener {}
