internal import FootageAPI
package import FootageBase
internal import FootageSystem

/// Exporting a recording as a plain file (`footage export`).
extension RecordingLibrary {
  /// Writes the served bytes of a recording to a file: completely and durably, or not at all. Blocks.
  ///
  /// The bytes go from file to file inside the kernel if the file system supports it (`man 2 copy_file_range`). A file
  /// that already has the name is replaced atomically, and stays as it was if anything fails.
  ///
  /// - Parameters:
  ///   - target: a path; a folder is refused, and a symbolic link is replaced, not followed.
  ///   - name: the name of the recording.
  /// - Returns: the number of bytes written.
  /// - Throws: `LibraryError`: `.unknown`; `.notReady`; `.changed` if the recorder's file was written to meanwhile;
  ///   `.exportRefused` if the target is the recorder's file or a folder; `.storage`, for instance for a full disk.
  package func export(_ name: String, to target: String) throws(LibraryError) -> UInt64 {
    refresh()
    guard let recording = snapshot.recording(named: name) else {
      throw .unknown(name: name, folder: place.recordings)
    }
    let representation = try open(recording)
    try write(representation, of: [recording], to: target)
    return representation.bytes.length
  }

  /// Passes the served bytes of a recording to `take`, in pieces. Blocks.
  ///
  /// - Parameter take: receives the next bytes; returns false to stop.
  /// - Returns: true if all bytes were accepted.
  /// - Throws: `LibraryError`: the errors of `export(_:to:)`. The bytes passed until then are only a part of the
  ///   recording.
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
      // Check before passing the bytes on: a mixture of two versions is not a recording.
      guard representation.isUnchanged() else { throw .changed(name: name) }
      guard take(bytes) else { return false }
      offset += UInt64(bytes.count)
    }
    return true
  }

  /// Writes a camera's recordings from a range of time, as one MP4, to a file: completely and durably, or not at all.
  /// Blocks.
  ///
  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - target: as for `export`.
  /// - Throws: `LibraryError`: `.noFootage`, `.tooLong`, `.formatsDiffer`, and the errors of `export`.
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
      // Check after the last read, as before each answer of the server: a mixture of two versions gets no name.
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

  /// Throws if the target is a folder or the recorder's file under any path. The recorder's file is evidence that no
  /// export may replace.
  private func check(_ target: String, for recording: Recording) throws(LibraryError) {
    guard let status = try? FileStatus.of(target) else { return }
    if status.kind == .folder { throw .exportRefused(target: target, reason: "it is a folder: name a file in it") }
    guard let source = try? place.status(of: recording.path) else { return }
    if status.version.identity == source.version.identity {
      throw .exportRefused(target: target, reason: "it is the recorder's own file, which is never replaced")
    }
  }
}
