extension SampleEntry {
  /// Returns a track's sample descriptions with their bit rates set to zero. They differ from file to file, because a
  /// recorder measures them. If the rest is equal, the samples of two recordings can share one track.
  ///
  /// The bit rates are in `BitRateBox` (ISO/IEC 14496-12 §8.5.2) and in the `DecoderConfigDescriptor` of sound (ISO/IEC
  /// 14496-1 §7.2.6.6).
  ///
  /// - Parameter descriptions: an `stsd` that was read successfully before.
  static func withoutBitRates(
    _ descriptions: Box, of handler: FourCharacterCode, in buffer: BoxBuffer
  ) -> ArraySlice<UInt8> {
    var bytes = buffer.bytes[descriptions.range]
    let payload = descriptions.payload
    // Version and flags, and the number of entries.
    guard payload.count >= 8,
      let entries = try? buffer.boxes(in: (payload.lowerBound + 8)..<payload.upperBound, of: "stsd")
    else { return bytes }
    for entry in entries where entry.payload.count >= fixedSize(of: handler) {
      let size =
        handler == "soun"
        ? fixedSize(ofAudio: entry, in: buffer, descriptionVersion: bytes[payload.lowerBound]) : fixedSize(of: handler)
      guard entry.payload.count > size else { continue }
      let extras = (entry.payload.lowerBound + size)..<entry.payload.upperBound
      for box in (try? buffer.boxes(in: extras, of: "stsd")) ?? [] where box.type == "btrt" {
        bytes.blank(box.payload)
      }
      if handler == "soun", let descriptor = elementaryStreamDescriptor(in: extras, of: buffer),
        let rates = AudioConfiguration.bitRates(in: descriptor)
      {
        bytes.blank(rates)
      }
    }
    return bytes
  }

  private static func fixedSize(of handler: FourCharacterCode) -> Int {
    handler == "vide" ? videoSize : handler == "soun" ? audioSize : 0
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func blank(_ range: Range<Int>) {
    for index in range { self[index] = 0 }
  }
}
