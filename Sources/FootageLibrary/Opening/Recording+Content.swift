package import FootageBase
internal import FootageMedia
internal import FootageSystem

extension Recording {
  /// What is served of a ready recording.
  package struct Content: Hashable, Sendable {
    /// Without quotes; the preamble's file is named after it.
    package let tag: String
    /// All that is served: the preamble, where there is one, and ranges of the recorder's file.
    package let composition: Composition
    /// SHA-256 of the preamble; empty where there is none.
    package let preambleDigest: [UInt8]
    package let mediaType: MediaType
    /// Nil where it is not known whether one can be made: nobody has looked yet, or it was made in another format.
    package let index: IndexSummary?
    /// SHA-256 of the sample index; empty where there is none.
    package let indexDigest: [UInt8]

    init(
      tag: String, composition: Composition, preambleDigest: [UInt8], mediaType: MediaType,
      index: IndexSummary? = nil, indexDigest: [UInt8] = []
    ) {
      self.tag = tag
      self.composition = composition
      self.preambleDigest = preambleDigest
      self.mediaType = mediaType
      self.index = index
      self.indexDigest = indexDigest
    }

    /// In bytes.
    package var length: UInt64 { composition.length }

    /// In bytes; 0 where the file is served as it is.
    package var preambleLength: UInt64 { composition.preambleLength }

    /// Whether files are kept of it.
    var hasFiles: Bool { preambleLength > 0 || index?.length ?? 0 > 0 }

    /// Whether the same is served, whatever is known of its samples.
    func isServed(as other: Content) -> Bool {
      tag == other.tag && composition == other.composition && preambleDigest == other.preambleDigest
        && mediaType == other.mediaType
    }
  }
}

/// The composition of a recording: its sources are the recorder's file and the preamble that is stored for it.
extension Composition {
  private static let recordersFile = 0
  private static let storedPreamble = 1

  /// What is served of a file, once its preamble is stored.
  init(storing index: MovieIndex) {
    self.init()
    append(0..<UInt64(index.preamble.count), of: Self.storedPreamble)
    for range in index.body { append(range, of: Self.recordersFile) }
  }

  /// - Parameters:
  ///   - preambleLength: in bytes; 0 where there is none.
  ///   - body: ranges of the recorder's file, in serving order.
  /// - Returns: nil where it would be longer than 64 bits can say.
  init?(preambleLength: UInt64, body: [Range<UInt64>]) {
    self.init()
    append(0..<preambleLength, of: Self.storedPreamble)
    for range in body {
      guard hasRoom(for: range.upperBound - range.lowerBound) else { return nil }
      append(range, of: Self.recordersFile)
    }
  }

  /// In bytes.
  var preambleLength: UInt64 {
    if case .range(Self.storedPreamble, let range) = slices.first { range.upperBound } else { 0 }
  }

  /// Ranges of the recorder's file, in serving order.
  var body: [Range<UInt64>] { ranges(of: Self.recordersFile) }
}

extension Recording {
  /// The same, held open by those who have the one before open, where it is served as that one was: what is known of
  /// its samples changes nothing for them.
  func following(_ old: Recording?) -> Recording {
    guard let old, old.state == .ready, old.version == version, let before = old.content, let content,
      before.isServed(as: content)
    else { return self }
    return Recording(
      path: path, name: name, camera: camera, state: state, isRecovered: isRecovered, start: start,
      creationSeconds: creationSeconds, isCreationShared: isCreationShared, duration: duration, video: video,
      audio: audio, version: version, changedNanoseconds: changedNanoseconds, content: content, place: place,
      keeper: keeper, whereabouts: whereabouts, validity: old.validity)
  }

  /// The same with the device that its row does not tell; nil where the file is another than the row's.
  func at(_ found: FileVersion) -> Recording? {
    var expected = version
    expected.device = found.device
    guard expected == found else { return nil }
    return Recording(
      path: path, name: name, camera: camera, state: state, isRecovered: isRecovered, start: start,
      creationSeconds: creationSeconds, isCreationShared: isCreationShared, duration: duration, video: video,
      audio: audio, version: found, changedNanoseconds: changedNanoseconds, content: content, place: place,
      keeper: keeper, whereabouts: whereabouts, validity: validity)
  }
}
