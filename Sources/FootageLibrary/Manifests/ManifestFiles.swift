internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The existing manifests, each in a file beside the preamble and the index of its version.
struct ManifestFiles: Sendable {
  let place: LibraryPaths

  /// Returns the name of the manifest's file for a version of a recording with this name.
  static func name(tag: String, recording name: String) -> String {
    let hash = FNV1a.hash(Array(name.utf8)[...])
    return "\(tag)-\(ItemTag(hash).text)\(LibraryPaths.manifestSuffix)"
  }

  private func path(tag: String, recording name: String) -> String {
    "\(place.heads)/\(Self.name(tag: tag, recording: name))"
  }

  /// Loads the manifest of a recording, if it exists. Blocks.
  ///
  /// - Returns: nil also if the file is damaged, or belongs to another recording: then it is made again.
  /// - Throws: `StorageError` if it cannot be read: then it is unknown whether it exists.
  func load(of recording: Recording) throws(StorageError) -> SignedManifest? {
    guard let tag = recording.content?.tag else { return nil }
    let bytes: [UInt8]
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path(tag: tag, recording: recording.name))
      guard file.length <= UInt64(ManifestLimits.bytes) else { return nil }
      bytes = try file.bytes(at: 0, count: Int(file.length))
    } catch {
      if error.reason == .system(.notFound) { return nil }
      throw error
    }
    guard let signed = try? SignedManifest(bytes), let pin = try? signed.manifest.pin,
      (try? signed.verify(by: [pin])) != nil,
      ExactName(signed.manifest.item.name) == ExactName(recording.name),
      signed.manifest.item.entityTag == recording.entityTag
    else { return nil }
    return signed
  }

  /// Saves a manifest completely and durably, or not at all. Blocks.
  func save(_ manifest: SignedManifest, of recording: Recording) throws(StorageError) {
    guard let tag = recording.content?.tag else { return }
    try FileTree.writeDurably(manifest.bytes, to: path(tag: tag, recording: recording.name))
  }

  /// Removes a manifest. It is not an error if the manifest does not exist.
  func remove(tag: String, recording name: String) { try? FileTree.remove(path(tag: tag, recording: name)) }

  /// Returns the names of the existing files. Blocks.
  func names() throws(StorageError) -> Set<String> {
    Set(
      try FolderListing.entries(of: place.heads).compactMap(\.name).filter {
        $0.utf8.count > LibraryPaths.manifestSuffix.utf8.count && $0.hasSuffix(LibraryPaths.manifestSuffix)
      })
  }

  /// Removes the manifests of versions that no longer exist. A recent manifest is kept, because the row of its version
  /// may not be known yet. Blocks.
  ///
  /// - Parameters:
  ///   - wanted: the names of the files to keep.
  ///   - now: nanoseconds since 1970.
  func sweep(wanted: Set<String>, now: Int64) throws(StorageError) {
    for name in try names() where !wanted.contains(name) {
      let path = "\(place.heads)/\(name)"
      guard let status = try? FileStatus.of(path),
        now - status.version.modifiedNanoseconds > LibraryLimits.orphanNanoseconds
      else { continue }
      try FileTree.remove(path)
    }
  }
}
