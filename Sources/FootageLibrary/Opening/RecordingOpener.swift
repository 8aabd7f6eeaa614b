package import FootageSystem

/// An opener of recordings, which are in a folder, or in stores of many robots.
package protocol RecordingOpener: AnyObject, Sendable {
  /// The films of recordings that are growing, or were growing within the last day.
  var films: GrowingFilms { get }

  /// Opens a file that belongs to a recording by calling `open`. If the preamble or index is damaged or missing, `open`
  /// is called with a replacement, at once or in a second call. Blocks.
  func mending<Opened>(
    _ recording: Recording, _ open: (_ rebuilt: DerivedFiles?) throws(LibraryError) -> Opened
  ) throws(LibraryError) -> Opened

  /// Returns the sample index of a version in which another video track leads than the one that films show. Blocks.
  ///
  /// - Parameter track: the number of the video track, from 1 on.
  /// - Throws: `LibraryError`: `.notReady`; `.nothingToShow` if there is no such track; `.changed`, `.storage`.
  func index(of recording: Recording, track: Int) throws(LibraryError) -> BoundComposition

  /// Returns the manifest of a ready recording, or the answer that it is being made. Blocks.
  func manifest(of recording: Recording, for urgency: ManifestUrgency) throws(LibraryError) -> ManifestAnswer

  /// Requests an examination of a path at which something has changed.
  func requestLook(at path: RelativePath)
}

extension RecordingLibrary: RecordingOpener {}
