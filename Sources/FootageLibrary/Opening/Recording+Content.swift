package import FootageBase
internal import FootageMedia
internal import FootageSystem

extension Recording {
  /// The content to serve for a ready recording.
  package struct Content: Hashable, Sendable {
    /// The entity tag without quotes; the preamble's file is named after it.
    package let tag: String
    /// The bytes to serve: the preamble, if there is one, and ranges of the recorder's file.
    package let composition: Composition
    /// The SHA-256 of the preamble; empty if there is none.
    package let preambleDigest: [UInt8]
    package let mediaType: MediaType
    /// The summary of the sample index; nil if it is unknown whether one can be made, because no examination has tried
    /// yet, or because its index has another format.
    package let index: IndexSummary?
    /// The SHA-256 of the sample index; empty if there is none.
    package let indexDigest: [UInt8]
    /// The version of the rules by which the preamble and the index were made (`MovieIndex.rulesVersion`).
    let rules: Int

    init(
      tag: String, composition: Composition, preambleDigest: [UInt8], mediaType: MediaType,
      index: IndexSummary? = nil, indexDigest: [UInt8] = [], rules: Int = Int(MovieIndex.rulesVersion)
    ) {
      self.tag = tag
      self.composition = composition
      self.preambleDigest = preambleDigest
      self.mediaType = mediaType
      self.index = index
      self.indexDigest = indexDigest
      self.rules = rules
    }

    /// True if rules that are no longer in force made the preamble and the index.
    var isOfOlderRules: Bool { rules < Int(MovieIndex.rulesVersion) }

    /// The length in bytes.
    package var length: UInt64 { composition.length }

    /// The length of the preamble in bytes; 0 if the file is served as it is.
    package var preambleLength: UInt64 { composition.preambleLength }

    /// True if derived files are kept for it.
    var hasFiles: Bool { preambleLength > 0 || index?.length ?? 0 > 0 }

    /// Returns whether the same bytes are served, regardless of what is known about the samples.
    func isServed(as other: Content) -> Bool {
      tag == other.tag && composition == other.composition && preambleDigest == other.preambleDigest
        && mediaType == other.mediaType
    }
  }
}

/// The composition of a recording. Its sources are the recorder's file and the preamble that is stored for it.
extension Composition {
  private static let recordersFile = 0
  private static let storedPreamble = 1

  /// Creates the composition of a file's served bytes, for when its preamble is stored.
  init(storing index: MovieIndex) {
    self.init()
    append(0..<UInt64(index.preamble.count), of: Self.storedPreamble)
    for range in index.body { append(range, of: Self.recordersFile) }
  }

  /// - Parameters:
  ///   - preambleLength: in bytes; 0 if there is none.
  ///   - body: the ranges of the recorder's file, in serving order.
  /// - Returns: nil if the length would not fit into 64 bits.
  init?(preambleLength: UInt64, body: [Range<UInt64>]) {
    self.init()
    append(0..<preambleLength, of: Self.storedPreamble)
    for range in body {
      guard hasRoom(for: range.upperBound - range.lowerBound) else { return nil }
      append(range, of: Self.recordersFile)
    }
  }

  /// The length of the preamble in bytes.
  var preambleLength: UInt64 {
    if case .range(Self.storedPreamble, let range) = slices.first { range.upperBound } else { 0 }
  }

  /// The ranges of the recorder's file, in serving order.
  var body: [Range<UInt64>] { ranges(of: Self.recordersFile) }
}

extension Recording {
  /// Returns this recording. If it is served identically to `old`, it shares the validity flag of `old`, so that
  /// responses that are reading `old` count as readers of this recording. New facts about the samples do not affect
  /// those responses.
  func following(_ old: Recording?) -> Recording {
    guard let old, old.state == .ready, old.version == version, let before = old.content, let content,
      before.isServed(as: content)
    else { return self }
    return Recording(
      path: path, name: name, camera: camera, state: state, isRecovered: isRecovered, start: start,
      creationSeconds: creationSeconds, isCreationShared: isCreationShared, duration: duration, video: video,
      audio: audio, severalVideoTracks: severalVideoTracks, version: version, changedNanoseconds: changedNanoseconds,
      content: content, place: place,
      keeper: keeper, whereabouts: whereabouts, robot: robot, validity: old.validity)
  }

  /// Returns the same recording with the device of the file that was found, because a catalog row has no device; nil if
  /// that file is not the one in the row.
  func at(_ found: FileVersion) -> Recording? {
    var expected = version
    expected.device = found.device
    guard expected == found else { return nil }
    return Recording(
      path: path, name: name, camera: camera, state: state, isRecovered: isRecovered, start: start,
      creationSeconds: creationSeconds, isCreationShared: isCreationShared, duration: duration, video: video,
      audio: audio, severalVideoTracks: severalVideoTracks, version: found, changedNanoseconds: changedNanoseconds,
      content: content, place: place,
      keeper: keeper, whereabouts: whereabouts, robot: robot, validity: validity)
  }
}
