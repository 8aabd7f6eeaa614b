internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// A version of a recording that older rules made. It is served as it is until the recorder's file changes, because a
/// better preamble over the same bytes is no change of the recording.
enum OlderVersion {
  /// Returns the recording with its old preamble, index and tag after its file was examined again.
  ///
  /// The tag proves that the file has the same bytes: the old preamble with the file's samples must result in it. A
  /// sample index that was never made, or has a format that is no longer read, comes from the examination.
  ///
  /// - Parameters:
  ///   - old: the recording that was known for the file.
  ///   - found: the result of the examination by the present rules.
  ///   - file: the examined file.
  /// - Returns: nil if the present rules have the same result, the file has changed, or the old preamble or index is
  ///   lost: the result of the examination then counts.
  static func kept(
    _ old: Recording?, _ found: IndexedFile, _ files: DerivedFiles, of file: RandomAccessFile, changed: Int64?
  ) -> (recording: Recording, files: DerivedFiles)? {
    guard let old, old.state == .ready, !old.isRemote, let content = old.content, content.isOfOlderRules,
      old.version.isSameFile(as: found.version), !isCurrent(old, content, found),
      isUnchanged(old, content, found, in: file)
    else { return nil }
    var (index, digest, kept) = (content.index, content.indexDigest, DerivedFiles())
    if index == nil {
      (index, digest, kept.index) = (found.content.index, found.indexDigest, files.index)
    } else if index?.length ?? 0 > 0, !FileTree.exists(old.place.index(content.tag)) {
      guard found.indexDigest == digest else { return nil }
      kept.index = files.index
    }
    let recording = Recording(
      path: old.path, name: old.name, camera: old.camera, state: .ready, isRecovered: old.isRecovered,
      start: old.start, creationSeconds: old.creationSeconds, isCreationShared: old.isCreationShared,
      duration: old.duration, video: content.index == nil ? found.content.movie.video : old.video, audio: old.audio,
      version: found.version, changedNanoseconds: changed,
      content: Recording.Content(
        tag: content.tag, composition: content.composition, preambleDigest: content.preambleDigest,
        mediaType: content.mediaType, index: index, indexDigest: digest, rules: content.rules),
      place: old.place)
    return (recording, kept)
  }

  /// Returns whether the present rules result in what is known already.
  private static func isCurrent(_ old: Recording, _ content: Recording.Content, _ found: IndexedFile) -> Bool {
    content.hasTag(of: found.content) && content.composition == found.content.composition
      && content.preambleDigest == found.preambleDigest && content.index == found.content.index
      && content.indexDigest == found.indexDigest && old.video == found.content.movie.video
      && old.audio == found.content.movie.audio && old.duration == found.content.movie.duration
  }

  /// Returns whether the file still has the bytes that the tag covers. Reads the stored preamble and the file's samples.
  private static func isUnchanged(
    _ old: Recording, _ content: Recording.Content, _ found: IndexedFile, in file: RandomAccessFile
  ) -> Bool {
    if content.hasTag(of: found.content) { return true }
    guard content.preambleLength <= preambleLimit else { return false }
    do throws(StorageError) {
      var preamble: [UInt8] = []
      if content.preambleLength > 0 {
        let stored = try RandomAccessFile(path: old.place.preamble(content.tag))
        guard stored.length == content.preambleLength, try DerivedFileStore.digest(of: stored) == content.preambleDigest
        else { return false }
        preamble = try stored.bytes(at: 0, count: Int(content.preambleLength))
      }
      let tag = try ContentTag.make(
        layoutVersion: MovieIndex.layoutVersion, preamble: preamble, of: file, found.version)
      return content.hasTag(tag)
    } catch {
      // A preamble that cannot be read is rebuilt, by the present rules.
      return false
    }
  }

  /// The longest preamble that is read into memory to compare a tag, in bytes. No rules have ever made a longer one of
  /// an ordinary recording.
  private static let preambleLimit: UInt64 = 64 << 20
}

extension Recording.Content {
  /// Returns whether this version is the one in an examination's report, possibly with an index that was rebuilt.
  func hasTag(of found: FileReport.Content) -> Bool { hasTag(found.tag) }

  /// - Parameter made: a tag as `ContentTag.make` returns it.
  func hasTag(_ made: String) -> Bool {
    tag == made || (1...Int(MovieIndex.rulesVersion)).contains { tag == ContentTag.remade(made, rules: $0) }
  }
}

extension Recording {
  /// Returns this version's tag if the examination found the same version and an index was rebuilt for it before; nil
  /// if the tag in the examination's report applies.
  func tag(for found: IndexedFile) -> String? {
    guard let content, version.isSameFile(as: found.version), content.hasTag(of: found.content) else { return nil }
    return content.tag
  }

  /// Returns whether the two versions have the same sample index and the same facts about the movie.
  func hasSameModel(as other: Recording) -> Bool {
    content?.index == other.content?.index && content?.indexDigest == other.content?.indexDigest
      && duration == other.duration && video == other.video && audio == other.audio && isRecovered == other.isRecovered
  }
}

extension FileVersion {
  /// Returns whether this is the other version of the same file. The device is left out, because rows of the catalog do
  /// not store it.
  func isSameFile(as other: FileVersion) -> Bool {
    inode == other.inode && size == other.size && modifiedNanoseconds == other.modifiedNanoseconds
  }
}
