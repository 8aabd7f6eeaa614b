/// One recording as the library knows it, at one moment.

internal import FootageDigest
package import FootageAPI
package import FootageBase
internal import FootageMedia
package import FootageSystem
internal import Synchronization

/// Immutable: when anything about it changes, another object takes its place, so that identity tells versions apart.
package final class Recording: Sendable {
  package enum State: Hashable, Sendable {
    case ready
    /// A recorder is at work on it.
    case recording
    /// Cannot be served, for this reason; cut off where its recorder never came to its end.
    case refused(String, isCutOff: Bool = false)
  }

  package enum MediaType: String, Hashable, Sendable {
    case mp4 = "video/mp4"
    case quickTime = "video/quicktime"
  }

  package let path: RelativePath
  /// The path without its extension; with it where another file has that name already.
  package let name: String
  package let camera: String?
  package let state: State
  /// Whether the recorder was cut off, and what is served ends with its last whole fragment.
  package let isRecovered: Bool
  package let start: StartTime
  /// Of `mvhd`, in seconds since 1970; nil where it has none, or is not ready.
  package let creationSeconds: Int64?
  /// Whether another recording of the camera was ever seen with that creation time.
  package let isCreationShared: Bool
  /// In seconds; nil unless ready.
  package let duration: Double?
  package let video: VideoFormat?
  package let audio: AudioFormat?
  /// Of the recorder's file when it was last looked at.
  package let version: FileVersion
  /// Nil unless ready.
  package let content: Content?
  package let place: LibraryPaths
  /// Its film while it grows; nil unless it is being recorded in fragments, of which one is whole.
  package let film: GrowingFilm?
  /// Whose protection it has: what makes room passes it over; nil where it has none.
  package let keeper: Keeper?
  /// Where its bytes are.
  package let whereabouts: Whereabouts
  /// When anything about the file changed last, in nanoseconds since 1970, as of the last look; 0 where nobody knows.
  private let changed: Atomic<Int64>
  /// Whether its bytes are others by now, though nothing that `version` holds tells.
  let validity: Validity
  private let storedPreamble = VerifiedFile()
  private let storedIndex = VerifiedFile()

  init(
    path: RelativePath, name: String, camera: String?, state: State, isRecovered: Bool = false, start: StartTime,
    creationSeconds: Int64? = nil, isCreationShared: Bool = false, duration: Double? = nil,
    video: VideoFormat? = nil, audio: AudioFormat? = nil, version: FileVersion, changedNanoseconds: Int64? = nil,
    content: Content? = nil, film: GrowingFilm? = nil, place: LibraryPaths, keeper: Keeper? = nil,
    whereabouts: Whereabouts = .here, validity: Validity = Validity()
  ) {
    self.path = path
    self.name = name
    self.camera = camera
    self.state = state
    self.isRecovered = isRecovered
    self.start = start
    self.creationSeconds = creationSeconds
    self.isCreationShared = isCreationShared
    self.duration = duration
    self.video = video
    self.audio = audio
    self.version = version
    changed = Atomic(changedNanoseconds ?? 0)
    self.content = content
    self.film = film
    self.place = place
    self.keeper = keeper
    self.whereabouts = whereabouts
    self.validity = validity
  }

  package var startedAt: UnixTimestamp { start.moment }

  /// Whether it is protected.
  package var isKept: Bool { keeper != nil }

  /// Whether it begins so far ahead of the clock that one of the two is wrong.
  package func isInFuture(at now: UnixTimestamp) -> Bool {
    let length = Int64(min(max(duration ?? 0, 0), 1e9) * 1_000)
    return startedAt > now.advanced(byMilliseconds: length + LibraryLimits.futureMilliseconds)
  }

  /// In bytes: of what is served, or of the file so far.
  package var size: UInt64 { content?.length ?? version.size }

  /// Strong (RFC 9110 §8.8.3), in quotes; nil unless ready.
  package var entityTag: String? { content.map { "\"\($0.tag)\"" } }

  /// Names its version in URLs; nil unless ready.
  package var versionTag: VersionTag? { content.map { VersionTag(entityTag: $0.tag) } }

  /// Of the recorder's file, in whole seconds since 1970, rounded down.
  package var lastModified: Int64 {
    let (seconds, rest) = version.modifiedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? seconds - 1 : seconds
  }

  /// When anything about the file changed last, as far as it was looked at since; nil where nobody knows.
  var changedNanoseconds: Int64? {
    let time = changed.load(ordering: .relaxed)
    return time == 0 ? nil : time
  }

  /// The file was looked at again and found to hold the same bytes.
  func noteChanged(nanoseconds: Int64?) { changed.store(nanoseconds ?? 0, ordering: .relaxed) }

  /// Whether the bytes that were indexed are still those of the file; asked before each turn of a response is sent. All
  /// that is made of one version shares it, and so it counts as well who has that open.
  final class Validity: Sendable {
    private let isOverwritten = Atomic<Bool>(false)

    var holds: Bool { !isOverwritten.load(ordering: .relaxed) }

    func end() { isOverwritten.store(true, ordering: .relaxed) }

    /// How many have it open to send it.
    private let openCount = Atomic<Int>(0)

    var isOpen: Bool { openCount.load(ordering: .relaxed) > 0 }

    func noteOpened() { openCount.add(1, ordering: .relaxed) }
    func noteClosed() { openCount.subtract(1, ordering: .relaxed) }
  }

  /// Opens what is served. Blocks: not for an event loop.
  ///
  /// - Parameter rebuilt: its preamble is taken in place of the stored one, and compared with the digest like that one.
  /// - Throws: `LibraryError`: `.notReady`; `.changed` where the recorder's file is another than was indexed, or gone;
  ///   `.headDamaged`; `.storage`, for want of descriptors for instance.
  func open(rebuilt: DerivedFiles? = nil) throws(LibraryError) -> Representation {
    let (file, content) = try openFile()
    var bytes = BoundComposition([])
    if content.preambleLength > 0 { bytes.append(try preamble(content, rebuilt: rebuilt)) }
    let body = content.composition.slice(in: content.preambleLength..<content.length)
    bytes.append(BoundComposition(body, of: [file]))
    let representation = Representation(
      mediaType: content.mediaType.rawValue, entityTag: "\"\(content.tag)\"", lastModified: lastModified,
      bytes: bytes, source: source(file))
    // What is elsewhere is read when somebody wants it, and does not change.
    if isRemote { return representation }
    do throws(StorageError) { return try representation.steadied(LibraryLimits.steadyBytes) } catch {
      throw error.reason == .changed ? .changed(name: name) : .storage(error)
    }
  }

  /// The recorder's file, as it was indexed.
  func source(_ file: RandomAccessFile) -> Representation.Source {
    Representation.Source(file: file, condition: .unchanged(version), validity: validity)
  }

  /// The sample index as it is, with the recorder's file that it is of.
  func representation(ofIndex index: BoundComposition) throws(LibraryError) -> Representation {
    try representation("i\(SampleIndex.formatVersion)", mediaType: "application/octet-stream", of: index)
  }

  /// The manifest as it is. One that was lost is signed anew, which gives other bytes, and so another entity tag.
  package func representation(ofManifest manifest: SignedManifest) throws(LibraryError) -> Representation {
    let digest = Hexadecimal.encode(SHA256.hash(manifest.bytes).prefix(8))
    return try representation(
      "m\(digest)", mediaType: "text/plain; charset=utf-8", of: BoundComposition(manifest.bytes))
  }

  /// - Parameter view: tells views of one version apart.
  private func representation(
    _ view: String, mediaType: String, of bytes: BoundComposition
  ) throws(LibraryError) -> Representation {
    let (file, content) = try openFile()
    let tag = VersionTag.entityTag(of: content.tag, view: view)
    return Representation(
      mediaType: mediaType, entityTag: "\"\(tag)\"", lastModified: lastModified, bytes: bytes, source: source(file))
  }

  /// The recorder's file, as it was indexed.
  func openFile() throws(LibraryError) -> (RandomAccessFile, Content) {
    guard let content else { throw notReady }
    return (try openIndexedFile(), content)
  }

  var notReady: LibraryError {
    switch state {
    case .refused(let reason, _): .notReady(name: name, reason: reason)
    default: .notReady(name: name, reason: "it is still being recorded")
    }
  }

  /// A refused file, as it is. Blocks.
  ///
  /// - Throws: `LibraryError`: `.nothingToShow` where it is not refused; `.changed`, `.storage`.
  func openRefused() throws(LibraryError) -> Representation {
    guard case .refused = state else {
      throw .nothingToShow(name: name, reason: "Only a refused file is given as it is: ask for the recording, .mp4.")
    }
    let file = try openIndexedFile()
    let tag: String
    do throws(StorageError) {
      tag = try ContentTag.make(layoutVersion: Self.asItIs, preamble: [], of: file, version)
    } catch {
      switch error.reason {
      case .endOfFile, .changed: throw .changed(name: name)
      default: throw .storage(error)
      }
    }
    return Representation(
      mediaType: "application/octet-stream", entityTag: "\"\(tag)\"", lastModified: lastModified,
      bytes: BoundComposition(file, 0..<version.size), source: source(file))
  }

  /// In place of a layout's version: nothing is laid out.
  private static let asItIs: UInt8 = 0

  private func openIndexedFile() throws(LibraryError) -> RandomAccessFile {
    if case .store(let store) = whereabouts { return try openStoredFile(in: store) }
    let file: RandomAccessFile
    do throws(StorageError) {
      file = try place.open(path)
    } catch {
      switch error.reason {
      case .system(.notFound), .system(.notAFolder), .wrongKind: throw .changed(name: name)
      default: throw .storage(error)
      }
    }
    guard file.openingStatus.version == version, validity.holds else { throw .changed(name: name) }
    return file
  }

  private func preamble(_ content: Content, rebuilt: DerivedFiles?) throws(LibraryError) -> BoundComposition {
    do throws(StorageError) {
      return try storedPreamble.open(
        place.preamble(content.tag), length: content.preambleLength, digest: content.preambleDigest,
        rebuilt: rebuilt?.preamble, isProved: rebuilt?.isProved ?? false)
    } catch { throw Self.failure(of: error, else: .headDamaged(name: name)) }
  }

  /// Opens the sample index. Blocks: not for an event loop.
  ///
  /// - Parameter rebuilt: taken in place of what is stored; the index is compared with the digest like that one.
  /// - Throws: `LibraryError`: `.notReady`; `.nothingToShow` where none can be made of the file; `.indexDamaged`, also
  ///   where none was made yet; `.storage`, for want of descriptors for instance.
  func openIndex(rebuilt: DerivedFiles? = nil) throws(LibraryError) -> BoundComposition {
    guard let content else { throw notReady }
    if let index = content.index, index.length > 0 {
      do throws(StorageError) {
        return try storedIndex.open(
          place.index(content.tag), length: index.length, digest: content.indexDigest, rebuilt: rebuilt?.index,
          isProved: rebuilt?.isProved ?? false)
      } catch { throw Self.failure(of: error, else: .indexDamaged(name: name)) }
    }
    // Nobody has looked for one yet.
    if content.index == nil {
      guard let rebuilt else { throw .indexDamaged(name: name) }
      if let index = rebuilt.index { return index }
    }
    throw .nothingToShow(name: name, reason: "No films, clips or index can be made of it: the server's log says why.")
  }

  /// What has come of opening a file that is kept of it.
  private static func failure(of error: StorageError, else damage: LibraryError) -> LibraryError {
    error.isForWantOfRoom || error.isAway ? .storage(error) : damage
  }
}

extension StorageError {
  /// Whether the process or the machine has no descriptor or no memory left: it tells nothing of the file.
  var isForWantOfRoom: Bool {
    switch reason {
    case .system(.tooManyOpenFiles), .system(.tooManyOpenFilesInAll), .system(.exhaustedMemory): true
    default: false
    }
  }
}
