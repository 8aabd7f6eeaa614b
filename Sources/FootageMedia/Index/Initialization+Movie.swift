internal import FootageBase

extension SampleIndex.Initialization {
  /// Reads the tracks of the init segment, with the same checks as for an untrusted file.
  ///
  /// - Parameter ofAll: true to include the sound.
  func movie(ofAll: Bool) throws(MP4Error) -> Movie {
    let bytes = ofAll ? bytes : leadingAlone
    var scanner = TopLevelScanner(MemoryByteSource(bytes))
    while case .box(let box) = try scanner.next() {
      if box.type == "moov" { return try Movie(try scanner.read(box, limit: Limits.sampleIndexHeader)) }
    }
    throw .unfinished(length: UInt64(bytes.count))
  }
}
