/// Looks at one file and says what it is; decides and stores nothing.

internal import ISOMedia
internal import Storage

/// A file that can be served, by what was found in it.
struct IndexedFile {
  let version: FileVersion
  let index: MovieIndex
  /// The entity tag without its quotes.
  let tag: String
  let headDigest: [UInt8]
  let mediaType: Recording.MediaType
}

enum Finding {
  case complete(IndexedFile)
  /// Cut short: by a recorder that is still at it, or that never came to its end.
  case incomplete(MP4Error, FileVersion)
  /// `isLasting` where the reason lies in the bytes, so that only other bytes could change it.
  case refused(String, FileVersion?, isLasting: Bool)
  case gone
  /// It was written to while it was read, or the process is out of descriptors: to be looked at again.
  case unsettled(FileVersion?)
}

enum Examiner {
  /// Looks at the file of this path. Reads its headers and three samples of it; blocks.
  static func examine(_ path: RelativePath, in place: LibraryPlace) -> Finding {
    let status: FileStatus
    do throws(StorageError) { status = try place.status(of: path) } catch { return finding(error, nil) }
    switch status.kind {
    case .folder: return .gone
    case .symbolicLink:
      return .refused(
        "it is a symbolic link, and those are not followed: put the file itself, or a hard link to it, here",
        status.version, isLasting: true)
    case .other: return .refused("it is not a regular file", status.version, isLasting: true)
    case .regular: break
    }
    do throws(StorageError) {
      return try examine(place.open(path))
    } catch {
      return finding(error, status.version)
    }
  }

  /// Looks at an open file.
  static func examine(_ file: RandomAccessFile) throws(StorageError) -> Finding {
    let version = file.openingStatus.version
    let outcome: IndexOutcome
    do throws(MP4Error) {
      outcome = try MovieIndex.make(of: file)
    } catch {
      guard file.isStill(version) else { return .unsettled(version) }
      if case .storage(let error) = error { throw error }
      return .refused(error.description, version, isLasting: true)
    }
    switch outcome {
    case .incomplete(let error): return .incomplete(error, version)
    case .ready(let index):
      let tag = try VersionTag.make(
        layoutVersion: MovieIndex.layoutVersion, head: index.head, of: file, version)
      let mediaType = try mediaType(of: index, file)
      guard file.isStill(version) else { return .unsettled(version) }
      return .complete(
        IndexedFile(
          version: version, index: index, tag: tag,
          headDigest: index.head.isEmpty ? [] : HeadStore.digest(of: index.head), mediaType: mediaType))
    }
  }

  private static func finding(_ error: StorageError, _ version: FileVersion?) -> Finding {
    switch error.reason {
    case .system(.notFound), .system(.notAFolder): return .gone
    case .system(.tooManyOpenFiles), .system(.tooManyOpenFilesInAll), .system(.exhaustedMemory):
      return .unsettled(version)
    case .endOfFile: return .unsettled(version)
    default: return .refused(error.description, version, isLasting: false)
    }
  }

  /// QuickTime where the name says `.mov` and the brand (ISO/IEC 14496-12 §4.3) does not say otherwise: what is served
  /// keeps the recorder's `ftyp`, and players judge by it.
  private static func mediaType(
    of index: MovieIndex, _ file: RandomAccessFile
  ) throws(StorageError) -> Recording.MediaType {
    let name = Array(file.path.utf8)
    guard name.suffix(4).map({ $0 | 0x20 }).elementsEqual(".mov".utf8) else { return .mp4 }
    var start = Array(index.head.prefix(12))
    if start.isEmpty, let first = index.body.first, first.upperBound - first.lowerBound >= 12 {
      start = try file.bytes(at: first.lowerBound, count: 12)
    }
    let hasBrand = start.count == 12 && start[4..<8].elementsEqual("ftyp".utf8)
    return hasBrand && !start[8..<12].elementsEqual("qt  ".utf8) ? .mp4 : .quickTime
  }
}
