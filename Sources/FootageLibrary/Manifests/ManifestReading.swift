internal import FootageDigest
internal import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// A maker of one recording's manifest. It reads the recorder's file once, from its first byte to its last.
struct ManifestReading {
  let recording: Recording
  let now: UnixTimestamp
  let signer: ManifestSigner
  /// A function that returns whether to stop. It is called before each piece is read.
  let isStopped: @Sendable () -> Bool

  /// The number of bytes that are read at once: few enough to stay in the processor's cache until all digests are
  /// updated.
  private static let piece: UInt64 = 128 << 10

  /// Makes the manifest. Blocks for as long as the disk takes to read the whole file.
  ///
  /// - Returns: nil if it was stopped.
  /// - Throws: `LibraryError`: `.changed` if the file has changed since it was indexed; `.headDamaged`;
  ///   `.indexDamaged`, also if no index was attempted yet; `.noManifest`, `.notReady`, `.storage`.
  func make() throws(LibraryError) -> SignedManifest? {
    let (file, content) = try recording.openFile()
    guard let summary = content.index else { throw .indexDamaged(name: recording.name) }
    guard let preamble = try digestsOfPreamble(content), let index = try digestsOfIndex(summary, content),
      let (whole, served) = try digests(of: file, content, behind: preamble)
    else { return nil }
    // A write in the meantime may be in one digest and not in another.
    guard file.isStill(recording.version), recording.validity.holds else { throw .changed(name: recording.name) }
    var item = recording.item(at: now)
    // The recording may be elsewhere when the manifest is read.
    item.place = nil
    let manifest = try mapError(
      refusal,
      try Manifest(
        item: item, path: recording.path.text, modifiedNanoseconds: recording.version.modifiedNanoseconds,
        layoutVersion: Int(MovieIndex.layoutVersion), composition: content.composition,
        file: whole, preamble: preamble.digests, index: index.digests, served: served, key: signer.key))
    let bytes = try mapError(
      { (error: ManifestSigningFailure) in LibraryError.noManifest(name: recording.name, reason: error.description) },
      try SignedManifest.bytes(of: manifest, signedBy: signer.sign))
    return try mapError(refusal, try checked(bytes))
  }

  /// Checks that readers will accept the manifest; one that they would reject is not kept.
  private func checked(_ bytes: [UInt8]) throws(ManifestError) -> SignedManifest {
    let signed = try SignedManifest(bytes)
    try signed.verify(by: [try signed.manifest.pin])
    return signed
  }

  private func refusal(_ error: ManifestError) -> LibraryError {
    .noManifest(name: recording.name, reason: error.description)
  }

  /// An optional part of a version, the preamble or the sample index, with its digests.
  private struct Part {
    var digests: ObjectDigests?
    /// The bytes of the preamble; nil for the sample index.
    var bytes: BoundComposition?
  }

  private func digestsOfPreamble(_ content: Recording.Content) throws(LibraryError) -> Part? {
    guard content.preambleLength > 0 else { return Part() }
    let bytes = try recording.open().bytes.slice(in: 0..<content.preambleLength)
    guard let digests = try digests(of: bytes) else { return nil }
    guard digests.digest == content.preambleDigest else { throw .headDamaged(name: recording.name) }
    return Part(digests: digests, bytes: bytes)
  }

  private func digestsOfIndex(_ index: IndexSummary, _ content: Recording.Content) throws(LibraryError) -> Part? {
    guard index.length > 0 else { return Part() }
    guard let digests = try digests(of: try recording.openIndex()) else { return nil }
    guard digests.digest == content.indexDigest else { throw .indexDamaged(name: recording.name) }
    return Part(digests: digests)
  }

  private func digests(of bytes: BoundComposition) throws(LibraryError) -> ObjectDigests? {
    var digester = ObjectDigester()
    let isWhole = try forEachPiece(of: bytes) { piece, _ in digester.update(piece) }
    return isWhole ? digester.finish() : nil
  }

  /// Returns the digests of the recorder's file, and those of the served bytes if they differ from it.
  private func digests(
    of file: RandomAccessFile, _ content: Recording.Content, behind preamble: Part
  ) throws(LibraryError) -> (file: ObjectDigests, served: ObjectDigests?)? {
    var whole = ObjectDigester()
    let bytes = BoundComposition(file, 0..<file.length)
    if content.composition == Composition(then: [0..<file.length], of: Manifest.fileSource) {
      let isWhole = try forEachPiece(of: bytes) { piece, _ in whole.update(piece) }
      return isWhole ? (whole.finish(), nil) : nil
    }
    guard var served = ServedDigester(content.composition) else {
      throw .noManifest(name: recording.name, reason: "its parts are not served in file order")
    }
    if let preamble = preamble.bytes {
      guard try forEachPiece(of: preamble, { piece, _ in served.takePreamble(piece) }) else { return nil }
    }
    let isWhole = try forEachPiece(of: bytes) { piece, offset in
      whole.update(piece)
      served.take(piece, at: offset)
    }
    return isWhole ? (whole.finish(), served.finish()) : nil
  }

  /// - Returns: false if it was stopped.
  private func forEachPiece(
    of bytes: BoundComposition, _ body: (_ piece: [UInt8], _ offset: UInt64) -> Void
  ) throws(LibraryError) -> Bool {
    var offset: UInt64 = 0
    while offset < bytes.length {
      if isStopped() { return false }
      let count = Int(min(Self.piece, bytes.length - offset))
      do throws(StorageError) { body(try bytes.bytes(at: offset, count: count), offset) } catch {
        if case .endOfFile = error.reason { throw .changed(name: recording.name) }
        throw .storage(error)
      }
      offset += UInt64(count)
    }
    return true
  }
}

/// A digester of the served bytes, which it extracts from the bytes of the recorder's file as they are read.
private struct ServedDigester: ~Copyable {
  private var digester = ObjectDigester()
  /// The remaining ranges of the file, in ascending order.
  private var ranges: ArraySlice<Range<UInt64>>

  /// - Returns: nil if the preamble does not come first, or the ranges are not in the order of the file.
  init?(_ composition: Composition) {
    let ranges = composition.body
    guard composition.slices.count == ranges.count + (composition.preambleLength > 0 ? 1 : 0),
      zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound })
    else { return nil }
    self.ranges = ranges[...]
  }

  mutating func takePreamble(_ bytes: [UInt8]) { digester.update(bytes) }

  /// - Parameter offset: the offset of the first byte in the file.
  mutating func take(_ bytes: [UInt8], at offset: UInt64) {
    let end = offset + UInt64(bytes.count)
    while let range = ranges.first, range.lowerBound < end {
      let part = range.clamped(to: offset..<end)
      if !part.isEmpty {
        // This is safe because the part is within the bytes.
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe digester.update(
            UnsafeRawBufferPointer(rebasing: bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)]))
        }
      }
      guard range.upperBound <= end else { return }
      ranges.removeFirst()
    }
  }

  consuming func finish() -> ObjectDigests { digester.finish() }
}
