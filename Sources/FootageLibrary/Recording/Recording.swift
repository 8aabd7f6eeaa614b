/// One recording as the library knows it, at one moment.

internal import FootageDigest
package import FootageAPI
package import FootageBase
internal import FootageMedia
package import FootageSystem
internal import Synchronization

/// A recording. The object is immutable: when a fact about the recording changes, another object replaces it, so object
/// identity distinguishes the states.
package final class Recording: Sendable {
  package enum State: Hashable, Sendable {
    case ready
    /// A recorder is writing the file.
    case recording
    /// The recording cannot be served, for this reason. `isCutOff` is true if its recorder never finished the file.
    case refused(String, isCutOff: Bool = false)
  }

  package enum MediaType: String, Hashable, Sendable {
    case mp4 = "video/mp4"
    case quickTime = "video/quicktime"
  }

  package let path: RelativePath
  /// The path without its extension, or the whole path if another file already has that name.
  package let name: String
  package let camera: String?
  package let state: State
  /// True if the recorder was interrupted, so that the served bytes end with the last complete fragment.
  package let isRecovered: Bool
  package let start: StartTime
  /// The creation time in `mvhd`, in seconds since 1970; nil if it has none, or if the recording is not ready.
  package let creationSeconds: Int64?
  /// True if another recording of the camera was ever seen with the same creation time.
  package let isCreationShared: Bool
  /// The duration in seconds; nil unless ready.
  package let duration: Double?
  package let video: VideoFormat?
  package let audio: AudioFormat?
  /// All video tracks if there are several, in the file's order; empty if `video` is the only one; nil if an earlier
  /// version of Footage examined the file. Few recordings have several, so that the others need no memory for them.
  let severalVideoTracks: [VideoTrack]?
  /// The version of the recorder's file when it was last examined.
  package let version: FileVersion
  /// The content to serve; nil unless ready.
  package let content: Content?
  package let place: LibraryPaths
  /// The film while the recording grows; nil unless it is being recorded in fragments and at least one of them is
  /// complete.
  package let film: GrowingFilm?
  /// The owner of its protection; nil if it has none. Retention never deletes a protected recording.
  package let keeper: Keeper?
  /// The place of its bytes: this disk, a store, or both.
  package let whereabouts: Whereabouts
  /// The robot that made it, on a server of many robots. The names of the recording and its camera begin with it.
  package let robot: String?
  /// The time of the file's last change of any kind, in nanoseconds since 1970, when it was last examined; 0 if
  /// unknown.
  private let changed: Atomic<Int64>
  /// The flag that is set when the bytes have changed although `version` is still the same.
  let validity: Validity
  private let storedPreamble = VerifiedFile()
  private let storedIndex = VerifiedFile()

  init(
    path: RelativePath, name: String, camera: String?, state: State, isRecovered: Bool = false, start: StartTime,
    creationSeconds: Int64? = nil, isCreationShared: Bool = false, duration: Double? = nil,
    video: VideoFormat? = nil, audio: AudioFormat? = nil, severalVideoTracks: [VideoTrack]? = nil,
    version: FileVersion, changedNanoseconds: Int64? = nil,
    content: Content? = nil, film: GrowingFilm? = nil, place: LibraryPaths, keeper: Keeper? = nil,
    whereabouts: Whereabouts = .here, robot: String? = nil, validity: Validity = Validity()
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
    self.severalVideoTracks = severalVideoTracks
    self.version = version
    changed = Atomic(changedNanoseconds ?? 0)
    self.content = content
    self.film = film
    self.place = place
    self.keeper = keeper
    self.whereabouts = whereabouts
    self.robot = robot
    self.validity = validity
  }

  package var startedAt: UnixTimestamp { start.moment }

  /// True if the recording is protected.
  package var isKept: Bool { keeper != nil }

  /// All video tracks in the file's order; empty if there are none, or if they are unknown.
  package var videoTracks: [VideoTrack] {
    guard let severalVideoTracks, let video else { return [] }
    guard severalVideoTracks.isEmpty else { return severalVideoTracks }
    return [
      VideoTrack(number: 1, codec: video.codec, width: video.width, height: video.height, frameRate: video.frameRate)
    ]
  }

  /// Returns whether the recording begins so far ahead of the clock that its start or the clock must be wrong.
  package func isInFuture(at now: UnixTimestamp) -> Bool {
    let length = Int64(min(max(duration ?? 0, 0), 1e9) * 1_000)
    return startedAt > now.advanced(byMilliseconds: length + LibraryLimits.futureMilliseconds)
  }

  /// The size in bytes: of the served content if ready, otherwise of the file so far.
  package var size: UInt64 { content?.length ?? version.size }

  /// The strong entity tag (RFC 9110 §8.8.3), in quotes; nil unless ready.
  package var entityTag: String? { content.map { "\"\($0.tag)\"" } }

  /// The tag that names this version in URLs; nil unless ready.
  package var versionTag: VersionTag? { content.map { VersionTag(entityTag: $0.tag) } }

  /// The key of this version's film; nil unless ready.
  package var filmKey: FilmKey? { content.map { FilmKey(ofRecording: name, entityTag: $0.tag, robot: robot) } }

  /// The address of the film that the recording has now; nil if there is nothing to play.
  package var filmAddress: FilmAddress? { film.map { .growing($0.id) } ?? filmKey.map { .version($0) } }

  /// The modification time of the recorder's file, in whole seconds since 1970, rounded down.
  package var lastModified: Int64 {
    let (seconds, rest) = version.modifiedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? seconds - 1 : seconds
  }

  /// The time of the file's last change of any kind, in nanoseconds since 1970, when it was last examined; nil if
  /// unknown.
  var changedNanoseconds: Int64? {
    let time = changed.load(ordering: .relaxed)
    return time == 0 ? nil : time
  }

  /// Records the change time of a file that was examined again and still holds the same bytes.
  func noteChanged(nanoseconds: Int64?) { changed.store(nanoseconds ?? 0, ordering: .relaxed) }

  /// A flag that tells whether the indexed bytes are still those of the file. It is checked before each turn of a
  /// response. All objects for one version share it, so it also counts the responses that have the version open.
  final class Validity: Sendable {
    private let isOverwritten = Atomic<Bool>(false)

    var holds: Bool { !isOverwritten.load(ordering: .relaxed) }

    func end() { isOverwritten.store(true, ordering: .relaxed) }

    /// The number of openings of this version for sending.
    private let openCount = Atomic<Int>(0)

    var isOpen: Bool { openCount.load(ordering: .relaxed) > 0 }

    func noteOpened() { openCount.add(1, ordering: .relaxed) }
    func noteClosed() { openCount.subtract(1, ordering: .relaxed) }
  }

  /// Opens the bytes to serve. Blocks: do not call on an event loop.
  ///
  /// - Parameter rebuilt: its preamble replaces the stored one, and is compared with the digest in the same way.
  /// - Throws: `LibraryError`: `.notReady`; `.changed` if the recorder's file no longer exists or has changed since it
  ///   was indexed; `.headDamaged`; `.storage`, for instance if no descriptors are left.
  func open(rebuilt: DerivedFiles? = nil) throws(LibraryError) -> Representation {
    let (file, content) = try openFile()
    var bytes = BoundComposition([])
    if content.preambleLength > 0 { bytes.append(try preamble(content, rebuilt: rebuilt)) }
    let body = content.composition.slice(in: content.preambleLength..<content.length)
    bytes.append(BoundComposition(body, of: [file]))
    let representation = Representation(
      mediaType: content.mediaType.rawValue, entityTag: "\"\(content.tag)\"", lastModified: lastModified,
      bytes: bytes, source: source(file))
    // The bytes in a store are read on demand, and do not change.
    if isRemote { return representation }
    do throws(StorageError) { return try representation.steadied(LibraryLimits.steadyBytes) } catch {
      throw error.reason == .changed ? .changed(name: name) : .storage(error)
    }
  }

  /// Returns the recorder's file as a source, with its indexed version as the condition.
  func source(_ file: RandomAccessFile) -> Representation.Source {
    Representation.Source(file: file, condition: .unchanged(version), validity: validity)
  }

  /// Returns the sample index as it is stored, with the recorder's file that it describes as the source.
  func representation(ofIndex index: BoundComposition) throws(LibraryError) -> Representation {
    try representation("i\(SampleIndex.formatVersion)", mediaType: "application/octet-stream", of: index)
  }

  /// Returns the manifest as it is stored. If a manifest is lost, a new one is signed, which has different bytes and
  /// therefore a different entity tag.
  package func representation(ofManifest manifest: SignedManifest) throws(LibraryError) -> Representation {
    let digest = Hexadecimal.encode(SHA256.hash(manifest.bytes).prefix(8))
    return try representation(
      "m\(digest)", mediaType: "text/plain; charset=utf-8", of: BoundComposition(manifest.bytes))
  }

  /// - Parameter view: distinguishes the views of one version.
  private func representation(
    _ view: String, mediaType: String, of bytes: BoundComposition
  ) throws(LibraryError) -> Representation {
    let (file, content) = try openFile()
    let tag = VersionTag.entityTag(of: content.tag, view: view)
    return Representation(
      mediaType: mediaType, entityTag: "\"\(tag)\"", lastModified: lastModified, bytes: bytes, source: source(file))
  }

  /// Opens the recorder's file and checks that it is the indexed one.
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

  /// Opens a refused file as it is. Blocks.
  ///
  /// - Throws: `LibraryError`: `.nothingToShow` if it is not refused; `.changed`, `.storage`.
  func openRefused() throws(LibraryError) -> Representation {
    guard case .refused = state else {
      throw .nothingToShow(name: name, reason: "Only a refused file is served as it is: request the recording (.mp4).")
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

  /// The number that the tag contains instead of a layout's version if the file is served unchanged.
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

  /// Opens the sample index. Blocks: do not call on an event loop.
  ///
  /// - Parameter rebuilt: its index replaces the stored one, and is compared with the digest in the same way.
  /// - Throws: `LibraryError`: `.notReady`; `.nothingToShow` if no index can be made for the file; `.indexDamaged`,
  ///   also if none was made yet; `.storage`, for instance if no descriptors are left.
  func openIndex(rebuilt: DerivedFiles? = nil) throws(LibraryError) -> BoundComposition {
    guard let content else { throw notReady }
    if let index = content.index, index.length > 0 {
      do throws(StorageError) {
        return try storedIndex.open(
          place.index(content.tag), length: index.length, digest: content.indexDigest, rebuilt: rebuilt?.index,
          isProved: rebuilt?.isProved ?? false)
      } catch { throw Self.failure(of: error, else: .indexDamaged(name: name)) }
    }
    // No index was ever attempted.
    if content.index == nil {
      guard let rebuilt else { throw .indexDamaged(name: name) }
      if let index = rebuilt.index { return index }
    }
    throw .nothingToShow(name: name, reason: "No films, clips or index can be made of it: the server's log shows why.")
  }

  /// Translates a failure to open a derived file of the recording.
  private static func failure(of error: StorageError, else damage: LibraryError) -> LibraryError {
    error.isForWantOfRoom || error.isAway ? .storage(error) : damage
  }
}

extension StorageError {
  /// True if the process or the machine has run out of descriptors or memory. The error then does not mean that the
  /// file is at fault.
  var isForWantOfRoom: Bool {
    switch reason {
    case .system(.tooManyOpenFiles), .system(.tooManyOpenFilesInAll), .system(.exhaustedMemory): true
    default: false
    }
  }
}
