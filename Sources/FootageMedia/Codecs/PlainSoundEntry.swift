/// A QuickTime sound description of version 1 or 2, converted to ISO's `MP4AudioSampleEntry` (ISO/IEC 14496-14 §6.7.2).
/// Browsers support only this form in a film.
struct PlainSoundEntry {
  private let fields: ArraySlice<UInt8>
  private let entry: SampleEntry
  private let descriptor: ArraySlice<UInt8>

  /// - Parameter descriptionVersion: the version of the `stsd` that contains it.
  /// - Returns: nil if the box is not a description of these versions, or has no descriptor of MPEG-4 sound.
  init?(_ box: Box, in buffer: BoxBuffer, descriptionVersion: UInt8) {
    let size = SampleEntry.fixedSize(ofAudio: box, in: buffer, descriptionVersion: descriptionVersion)
    guard box.type == "mp4a", size != SampleEntry.audioSize, box.payload.count > size else { return nil }
    let extras = (box.payload.lowerBound + size)..<box.payload.upperBound
    guard let descriptor = SampleEntry.elementaryStreamDescriptor(in: extras, of: buffer) else { return nil }
    // Reserved bytes and the number of the data reference.
    fields = buffer.bytes[box.payload].prefix(8)
    entry = SampleEntry.audio(box, in: buffer, descriptionVersion: descriptionVersion)
    self.descriptor = descriptor
  }

  /// Writes an `stsd` with this entry only.
  func write(into output: inout BoxWriter) {
    output.fullBox("stsd") {
      $0.uint32(1)
      $0.box("mp4a") {
        $0.append(fields)
        $0.uint64(0)
        // 16 bits a sample, the value for all compressed sound.
        $0.uint32(UInt32(clamping: min(entry.channels, 65_535)) << 16 | 16)
        $0.uint32(0)
        // The rate in whole hertz. A rate that does not fit is given only by the descriptor.
        $0.uint32(entry.sampleRate <= 65_535 ? UInt32(clamping: entry.sampleRate) << 16 : 0)
        $0.fullBox("esds") { $0.append(descriptor) }
      }
    }
  }
}
