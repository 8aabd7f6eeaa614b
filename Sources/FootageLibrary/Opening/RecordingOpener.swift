/// An opener of recordings: of those in a folder, or of those that stores have from many robots.
package protocol RecordingOpener: AnyObject, Sendable {
  /// The films of recordings that are growing, or have been growing within the last day.
  var films: GrowingFilms { get }

  /// Opens something of a recording with `open`, if necessary with replacements for its preamble and index: either at
  /// once or in a second call. Blocks.
  func mending<Opened>(
    _ recording: Recording, _ open: (_ rebuilt: DerivedFiles?) throws(LibraryError) -> Opened
  ) throws(LibraryError) -> Opened

  /// Returns the manifest of a ready recording, or the answer that it is being made. Blocks.
  func manifest(of recording: Recording, for urgency: ManifestUrgency) throws(LibraryError) -> ManifestAnswer

  /// Requests a look at a path at which something has changed.
  func requestLook(at path: RelativePath)
}

extension RecordingLibrary: RecordingOpener {}
