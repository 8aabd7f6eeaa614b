internal import FootageAPI
package import FootageBase
internal import FootageSystem

/// Taking a recording out as a plain file (`footage export`).
extension RecordingLibrary {
  /// Writes what is served of a recording, byte for byte, to a file: whole and durable, or not at all. Blocks.
  ///
  /// The bytes go from file to file inside the kernel where the file system can do so (`man 2 copy_file_range`). What
  /// had the name before is replaced at once, and stays as it was where anything goes wrong.
  ///
  /// - Parameters:
  ///   - target: a path; a folder is refused, and a symbolic link is replaced, not followed.
  ///   - name: of the recording.
  /// - Returns: how many bytes were written.
  /// - Throws: `LibraryError`: `.unknown`; `.notReady`; `.changed` where the recorder's file was written to meanwhile;
  ///   `.exportRefused` where the target is the recorder's file or a folder; `.storage`, a full disk for instance.
  package func export(_ name: String, to target: String) throws(LibraryError) -> UInt64 {
    refresh()
    guard let recording = snapshot.recording(named: name) else {
      throw .unknown(name: name, folder: place.recordings)
    }
    let representation = try open(recording)
    try write(representation, of: [recording], to: target)
    return representation.bytes.length
  }

  /// Hands over what is served of a recording, byte for byte, in pieces. Blocks.
  ///
  /// - Parameter take: takes the next bytes; false where it takes no more.
  /// - Returns: whether all of them were taken.
  /// - Throws: `LibraryError`, as `export(_:to:)`; then what was handed over is the beginning of it at most.
  package func export(_ name: String, _ take: ([UInt8]) -> Bool) throws(LibraryError) -> Bool {
    refresh()
    guard let recording = snapshot.recording(named: name) else {
      throw .unknown(name: name, folder: place.recordings)
    }
    let representation = try open(recording)
    let length = representation.bytes.length
    var offset: UInt64 = 0
    while offset < length {
      let bytes: [UInt8]
      do throws(StorageError) {
        bytes = try representation.bytes.bytes(at: offset, count: Int(min(length - offset, 1 << 20)))
      } catch {
        guard representation.isUnchanged() else { throw .changed(name: name) }
        throw .storage(error)
      }
      // Before the bytes are anybody's: a mixture of two versions is nobody's recording.
      guard representation.isUnchanged() else { throw .changed(name: name) }
      guard take(bytes) else { return false }
      offset += UInt64(bytes.count)
    }
    return true
  }

  /// Writes what a camera recorded over some time, as one MP4, to a file: whole and durable, or not at all. Blocks.
  ///
  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - target: as of `export`.
  /// - Throws: `LibraryError`: `.noFootage`, `.tooLong`, `.formatsDiffer`, and as `export`.
  package func exportClip(
    ofCamera camera: String?, in range: Range<UnixTimestamp>, to target: String
  ) throws(LibraryError) {
    let film = try CameraFilm(
      ofCamera: camera, in: range, of: VisibleRecordings(snapshot, of: .all), self)
    try write(try film.clip(), of: film.recordings, to: target)
  }

  private func write(
    _ representation: Representation, of recordings: [Recording], to target: String
  ) throws(LibraryError) {
    for recording in recordings { try check(target, for: recording) }
    let name = recordings.first?.name ?? ""
    do throws(StorageError) {
      let folder = FileTree.folder(of: target)
      let file = try TemporaryFile(in: folder)
      try file.append(representation.bytes)
      try file.sync()
      // After the last read, as before each answer of the server: a mixture of two versions gets no name.
      guard representation.isUnchanged() else { throw StorageError("export", name, .changed) }
      try file.rename(replacing: target)
      try FileTree.sync(folder: folder)
    } catch {
      switch error.reason {
      case .changed: throw .changed(name: name)
      // The recorder's file ended before its slice did.
      case .endOfFile where !representation.isUnchanged(): throw .changed(name: name)
      default: throw .storage(error)
      }
    }
  }

  /// The recorder's file is evidence: no export takes its place, by whatever path it is named.
  private func check(_ target: String, for recording: Recording) throws(LibraryError) {
    guard let status = try? FileStatus.of(target) else { return }
    if status.kind == .folder { throw .exportRefused(target: target, reason: "it is a folder: name a file in it") }
    guard let source = try? place.status(of: recording.path) else { return }
    if status.version.identity == source.version.identity {
      throw .exportRefused(target: target, reason: "it is the recorder's own file, which is never replaced")
    }
  }
}
