internal import FootageBase

/// Readers of `stsd` entries for sound, in ISO's form and in QuickTime's.
extension SampleEntry {
  /// Reads an `AudioSampleEntry` (ISO/IEC 14496-12 §12.2.3) or a QuickTime sound description of version 0 to 2.
  ///
  /// - Parameter descriptionVersion: the version of `stsd`. 1 distinguishes ISO's own version 1 from QuickTime's.
  static func audio(_ box: Box, in buffer: BoxBuffer, descriptionVersion: UInt8) -> SampleEntry {
    let payload = box.payload
    var entry = SampleEntry(type: box.type, codec: "\(box.type)")
    let raw = buffer.bytes.borrowedSpan
    let start = payload.lowerBound
    entry.channels = Int(raw.uint16(at: start + 16))
    entry.sampleRate = Int(raw.uint16(at: start + 24))
    let fixedSize = fixedSize(ofAudio: box, in: buffer, descriptionVersion: descriptionVersion)
    if fixedSize == 64 {
      let rate = Double(bitPattern: raw.uint64(at: start + 32))
      entry.sampleRate = rate.isFinite && (0...1e9).contains(rate) ? Int(rate) : 0
      entry.channels = Int(min(raw.uint32(at: start + 40), 65_535))
    }
    guard payload.count > fixedSize else { return entry }
    let extras = (start + fixedSize)..<payload.upperBound
    switch entry.type {
    case "mp4a":
      guard let descriptor = elementaryStreamDescriptor(in: extras, of: buffer),
        let configuration = AudioConfiguration(descriptor)
      else { return entry }
      let described = SampleEntry(type: box.type, codec: configuration.codec)
      var result = described
      result.sampleRate = configuration.sampleRate ?? entry.sampleRate
      result.channels = configuration.channels ?? entry.channels
      let isLayerThree = ["mp4a.69", "mp4a.6B"].contains(configuration.codec)
      result.silence =
        isLayerThree ? SilentSound.mp3(channels: result.channels, rate: result.sampleRate) : configuration.silence
      return result
    case "Opus":
      // Encapsulation of Opus in ISOBMFF §4.3.2: `dOps` holds the number of channels. Decoded sound always has 48 kHz.
      entry.sampleRate = 48_000
      if let box = (try? buffer.boxes(in: extras, of: "stsd"))?.first(where: { $0.type == "dOps" }),
        box.payload.count >= 2
      {
        entry.channels = Int(buffer.bytes[box.payload.lowerBound + 1])
      }
      entry.silence = SilentSound.opus(channels: entry.channels)
      return entry
    case "fLaC":
      guard let box = (try? buffer.boxes(in: extras, of: "stsd"))?.first(where: { $0.type == "dfLa" }),
        let stream = FLACStreamInformation(buffer.bytes[box.payload])
      else { return entry }
      // The entry cannot give a rate above 65,535 Hz (Encapsulation of FLAC in ISOBMFF §3.3.1).
      entry.sampleRate = stream.sampleRate
      entry.channels = stream.channels
      entry.silence = SilentSound.flac(stream)
      return entry
    default: return entry
    }
  }

  /// Returns the number of bytes of the fields before the first box, for the entry's own version.
  static func fixedSize(ofAudio box: Box, in buffer: BoxBuffer, descriptionVersion: UInt8) -> Int {
    switch buffer.bytes.borrowedSpan.uint16(at: box.payload.lowerBound + 8) {
    case 1 where descriptionVersion == 0: 44
    case 2 where box.payload.count >= 64: 64
    default: audioSize
    }
  }

  /// Returns the payload of `esds` without version and flags. QuickTime keeps the box inside `wave`.
  static func elementaryStreamDescriptor(in range: Range<Int>, of buffer: BoxBuffer) -> ArraySlice<UInt8>? {
    guard let boxes = try? buffer.boxes(in: range, of: "stsd") else { return nil }
    let inner = boxes.first { $0.type == "wave" }.flatMap { try? buffer.boxes(in: $0.payload, of: "wave") } ?? []
    return (boxes + inner).first { $0.type == "esds" }.map { buffer.bytes[$0.payload].dropFirst(4) }
  }
}
