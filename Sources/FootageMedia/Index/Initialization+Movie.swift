internal import FootageBase

extension SampleIndex.Initialization {
  /// What it says of the tracks, read as what it is: input.
  ///
  /// - Parameter ofAll: whether with the sound.
  func movie(ofAll: Bool) throws(MP4Error) -> Movie {
    let bytes = ofAll ? bytes : leadingAlone
    var scanner = TopLevelScanner(MemoryByteSource(bytes))
    while case .box(let box) = try scanner.next() {
      if box.type == "moov" { return try Movie(try scanner.read(box, limit: Limits.sampleIndexHeader)) }
    }
    throw .unfinished(length: UInt64(bytes.count))
  }
}
