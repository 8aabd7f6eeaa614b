/// One recording as the library knows it, at one moment.

package import Formats
package import ISOMedia
package import Storage
internal import Synchronization

/// Immutable: when anything about it changes, another object takes its place, so that identity tells versions apart.
package final class Recording: Sendable {
  package enum State: Hashable, Sendable {
    case ready
    /// A recorder is at work on it.
    case recording
    /// Cannot be served, for this reason.
    case refused(String)
  }

  /// What is served of a ready recording.
  package struct Content: Hashable, Sendable {
    /// Without quotes; the head's file is named after it.
    package let tag: String
    /// In bytes; 0 where the file is served as it is.
    package let headLength: UInt64
    /// SHA-256 of the head; empty where there is none.
    package let headDigest: [UInt8]
    /// Ranges of the recorder's file, in serving order.
    package let body: [Range<UInt64>]
    package let mediaType: MediaType

    /// In bytes.
    package var length: UInt64 { body.reduce(headLength) { $0 &+ ($1.upperBound &- $1.lowerBound) } }
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
  package let place: LibraryPlace
  /// Whether the head on disk was compared with its digest in this process.
  private let headIsSound = Atomic<Bool>(false)

  init(
    path: RelativePath, name: String, camera: String?, state: State, isRecovered: Bool = false, start: StartTime,
    creationSeconds: Int64? = nil, isCreationShared: Bool = false, duration: Double? = nil,
    video: VideoFormat? = nil, audio: AudioFormat? = nil, version: FileVersion, content: Content? = nil,
    place: LibraryPlace
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
    self.content = content
    self.place = place
  }

  package var startedAt: UnixTimestamp { start.moment }

  /// Whether it begins so far ahead of the clock that one of the two is wrong.
  package func isInFuture(at now: UnixTimestamp) -> Bool {
    let length = Int64(min(max(duration ?? 0, 0), 1e9) * 1_000)
    return startedAt > now.advanced(byMilliseconds: length + LibraryLimits.futureMilliseconds)
  }

  /// In bytes: of what is served, or of the file so far.
  package var size: UInt64 { content?.length ?? version.size }

  /// Strong (RFC 9110 §8.8.3), in quotes; nil unless ready.
  package var entityTag: String? { content.map { "\"\($0.tag)\"" } }

  /// Of the recorder's file, in whole seconds since 1970, rounded down.
  package var lastModified: Int64 {
    let (seconds, rest) = version.modifiedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? seconds - 1 : seconds
  }

  /// Opens what is served. Blocks: not for an event loop.
  ///
  /// - Throws: `LibraryError`: `.notReady`; `.changed` where the recorder's file is another than was indexed, or gone;
  ///   `.headDamaged`; `.storage`, for want of descriptors for instance.
  package func open() throws(LibraryError) -> Representation {
    guard let content else {
      switch state {
      case .refused(let reason): throw .notReady(name: name, reason: reason)
      default: throw .notReady(name: name, reason: "it is still being recorded")
      }
    }
    let file: RandomAccessFile
    do throws(StorageError) {
      file = try place.open(path)
    } catch {
      switch error.reason {
      case .system(.notFound), .system(.notAFolder), .wrongKind: throw .changed(name: name)
      default: throw .storage(error)
      }
    }
    guard file.openingStatus.version == version else { throw .changed(name: name) }
    var slices: [Slice] = []
    if content.headLength > 0 {
      slices.append(Slice(try openHead(content), 0..<content.headLength))
    }
    slices += content.body.map { Slice(file, $0) }
    let representation = Representation(
      mediaType: content.mediaType.rawValue, entityTag: "\"\(content.tag)\"", lastModified: lastModified,
      slices: SliceList(slices), file: file, version: version)
    do throws(StorageError) { return try representation.steadied(LibraryLimits.steadyBytes) } catch {
      throw error.reason == .changed ? .changed(name: name) : .storage(error)
    }
  }

  /// The head is read whole once in a process, since a damaged one would be served as a broken recording.
  private func openHead(_ content: Content) throws(LibraryError) -> RandomAccessFile {
    do throws(StorageError) {
      let head = try RandomAccessFile(path: place.head(content.tag))
      guard head.length == content.headLength else { throw StorageError("read", head.path, .changed) }
      if !headIsSound.load(ordering: .relaxed) {
        guard try HeadStore.digest(of: head) == content.headDigest else {
          throw StorageError("read", head.path, .changed)
        }
        headIsSound.store(true, ordering: .relaxed)
      }
      return head
    } catch {
      switch error.reason {
      case .system(.tooManyOpenFiles), .system(.tooManyOpenFilesInAll), .system(.exhaustedMemory):
        throw .storage(error)
      default: throw .headDamaged(name: name)
      }
    }
  }
}
