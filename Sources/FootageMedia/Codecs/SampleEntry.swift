internal import FootageBase

/// One entry of `stsd`: the codec, and the format of pictures or sound.
///
/// ISO/IEC 14496-12 §8.5.2. Only the entry's outer structure is checked. A file is not refused if a codec configuration
/// cannot be read: the entry then only has fewer details.
struct SampleEntry: Sendable, Hashable {
  let type: FourCharacterCode
  /// The codec as a `codecs` value of RFC 6381.
  let codec: String
  /// The width in luma samples, or 0 for an entry that is not video.
  var width = 0
  var height = 0
  /// The frame rate that the bit stream claims, or nil if it claims none.
  var nominalFrameRate: Double?
  /// The sample rate in hertz, or 0 for an entry that is not sound.
  var sampleRate = 0
  var channels = 0
  /// Silence in the entry's codec, or nil if none is known.
  var silence: SilentSound?
  /// The coding of sound in films of several recordings, or nil for any other.
  var coding: SoundCoding? {
    switch codec {
    case "Opus": .opus
    case "fLaC": .flac
    default: codec.hasPrefix("mp4a.40.") ? .aac : nil
    }
  }
  /// The stored parameter sets, or nil for codecs without parameter sets.
  var parameterSets: StoredParameterSets?
  /// The configuration record, or nil if it cannot be read or if Footage cannot read records of this codec.
  var configuration: VideoConfiguration?

  /// True if the samples are encrypted (ISO/IEC 14496-12 §8.12).
  var isEncrypted: Bool { type == "encv" || type == "enca" || type == "enct" || type == "encs" || type == "encm" }

  static func all(
    in box: Box, of buffer: BoxBuffer, handler: FourCharacterCode, path: String
  ) throws(MP4Error) -> [SampleEntry] {
    var fields = buffer.fields(of: box, in: path)
    let version = try fields.versionAndFlags().version
    let count = try fields.uint32()
    guard count <= UInt32(Limits.sampleEntries) else {
      throw .tooMuch(buffer.place(of: box, in: path), of: "sample descriptions", limit: UInt64(Limits.sampleEntries))
    }
    let boxes = try buffer.boxes(in: fields.position..<box.end, of: path + "/stsd")
    guard boxes.count >= Int(count) else {
      throw fields.malformed("claims \(count) sample descriptions but holds \(boxes.count)")
    }
    var entries: [SampleEntry] = []
    for entry in boxes.prefix(Int(count)) {
      let fixedSize = handler == "vide" ? videoSize : handler == "soun" ? audioSize : 0
      guard entry.payload.count >= fixedSize else {
        throw .malformed(buffer.place(of: entry, in: path + "/stsd"), "is too short for its fields")
      }
      switch handler {
      case "vide": entries.append(video(entry, in: buffer))
      case "soun": entries.append(audio(entry, in: buffer, descriptionVersion: version))
      default: entries.append(SampleEntry(type: entry.type, codec: "\(entry.type)"))
      }
    }
    return entries
  }

  /// The number of bytes before the first box of a video entry (ISO/IEC 14496-12 §12.1.3). `audioSize` is the same for
  /// a sound entry (§12.2.3).
  static let videoSize = 78
  static let audioSize = 28

  /// Returns the payload of an entry without the four zero bytes after its last box. QuickTime may end an entry with
  /// them, and they are not a box.
  static func withoutTerminator(_ box: Box, of handler: FourCharacterCode, in buffer: BoxBuffer) -> Range<Int> {
    let payload = box.payload
    guard handler == "vide", payload.count >= videoSize,
      let boxes = try? buffer.boxes(in: (payload.lowerBound + videoSize)..<payload.upperBound, of: "stsd"),
      let end = boxes.last?.end, payload.upperBound - end == 4
    else { return payload }
    return payload.lowerBound..<end
  }

  /// Reads a `VisualSampleEntry` (ISO/IEC 14496-12 §12.1.3): its fields, then boxes.
  private static func video(_ box: Box, in buffer: BoxBuffer) -> SampleEntry {
    let payload = box.payload
    let raw = buffer.bytes.borrowedSpan
    let width = Int(raw.uint16(at: payload.lowerBound + 24))
    let height = Int(raw.uint16(at: payload.lowerBound + 26))
    func configuration(_ type: FourCharacterCode) -> ArraySlice<UInt8>? {
      let boxes = try? buffer.boxes(in: (payload.lowerBound + videoSize)..<payload.upperBound, of: "stsd")
      return boxes?.first { $0.type == type }.map { buffer.bytes[$0.payload] }
    }
    var entry: SampleEntry
    switch box.type {
    case "avc1", "avc2", "avc3", "avc4":
      let record = configuration("avcC")
      let avc = record.flatMap { AVCConfiguration($0) }
      entry = SampleEntry(type: box.type, codec: avc?.codec(box.type) ?? "\(box.type)")
      entry.parameterSets = StoredParameterSets(avc: record)
      entry.configuration = avc.map { .avc($0) }
      if let parameters = avc?.sequenceParameters {
        entry.width = parameters.width
        entry.height = parameters.height
        entry.nominalFrameRate = parameters.frameRate
      }
    case "hvc1", "hev1", "hvc2", "hev2":
      let record = configuration("hvcC")
      let hevc = record.flatMap { HEVCConfiguration($0) }
      entry = SampleEntry(type: box.type, codec: hevc?.codec(box.type) ?? "\(box.type)")
      entry.parameterSets = StoredParameterSets(hevc: record)
      entry.configuration = hevc.map { .hevc($0) }
      if let size = hevc?.sequenceParameters {
        entry.width = size.width
        entry.height = size.height
      }
    case "av01":
      entry = SampleEntry(type: box.type, codec: configuration("av1C").flatMap { av1Codec($0) } ?? "av01")
    case "vp08", "vp09":
      entry = SampleEntry(
        type: box.type, codec: configuration("vpcC").flatMap { vpCodec(box.type, $0) } ?? "\(box.type)")
    default:
      entry = SampleEntry(type: box.type, codec: "\(box.type)")
    }
    if entry.width == 0 || entry.height == 0 {
      entry.width = width
      entry.height = height
    }
    return entry
  }

  /// Returns the `codecs` value of "AV1 Codec ISO Media File Format Binding" §5: `av01.P.LLT.DD`.
  private static func av1Codec(_ record: ArraySlice<UInt8>) -> String? {
    let bytes = Array(record.prefix(4))
    guard bytes.count == 4, bytes[0] == 0x81 else { return nil }
    let depth = bytes[2] & 0x40 == 0 ? 8 : bytes[2] & 0x20 == 0 ? 10 : 12
    return
      "av01.\(bytes[1] >> 5).\(twoDigits(Int(bytes[1] & 31)))\(bytes[2] & 0x80 == 0 ? "M" : "H").\(twoDigits(depth))"
  }

  /// Returns the `codecs` value of "VP Codec ISO Media File Format Binding": `vp09.PP.LL.DD`.
  private static func vpCodec(_ type: FourCharacterCode, _ record: ArraySlice<UInt8>) -> String? {
    let bytes = Array(record.prefix(7))
    guard bytes.count == 7 else { return nil }
    return "\(type).\(twoDigits(Int(bytes[4]))).\(twoDigits(Int(bytes[5]))).\(twoDigits(Int(bytes[6] >> 4)))"
  }

  private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
