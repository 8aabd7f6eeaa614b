internal import FootageBase

/// The types of parameter sets that a decoder needs before it can decode: video (HEVC only), sequence and picture
/// parameter sets.
///
/// ISO/IEC 14496-10 §7.4.1.2.1 and ISO/IEC 23008-2 §7.4.2.4.2. ISO/IEC 14496-15 §5.3 and §8.3 define where a file
/// stores them.
struct ParameterSets: OptionSet, Hashable, Sendable, CustomStringConvertible {
  let rawValue: UInt8

  static let video = ParameterSets(rawValue: 1)
  static let sequence = ParameterSets(rawValue: 2)
  static let picture = ParameterSets(rawValue: 4)

  enum Codec: Hashable, Sendable {
    case avc
    case hevc

    var required: ParameterSets { self == .avc ? [.sequence, .picture] : [.video, .sequence, .picture] }

    /// Returns the type of parameter set in a NAL unit whose header begins with this byte; the empty set if the unit is
    /// not a parameter set.
    func set(_ header: UInt8) -> ParameterSets {
      switch (self, self == .avc ? header & 31 : header >> 1 & 63) {
      case (.avc, 7), (.hevc, 33): .sequence
      case (.avc, 8), (.hevc, 34): .picture
      case (.hevc, 32): .video
      default: []
      }
    }
  }

  /// The common abbreviations of the types, joined for a message that lists missing sets: `VPS and no SPS`.
  var description: String {
    var names: [String] = []
    if contains(.video) { names.append("VPS") }
    if contains(.sequence) { names.append("SPS") }
    if contains(.picture) { names.append("PPS") }
    return names.joined(separator: " and no ")
  }
}

/// The types of the parameter sets in a sample entry's configuration record.
struct StoredParameterSets: Hashable, Sendable {
  let codec: ParameterSets.Codec
  var sets: ParameterSets = []
  /// The size in bytes of the length field before each NAL unit of a sample; nil without a configuration record.
  var lengthSize: Int?

  /// Reads the next unit of a record, and adds its type.
  ///
  /// - Returns: nil if the record ends before the unit does.
  mutating func addUnit(_ rest: inout ArraySlice<UInt8>) -> Void? {
    guard rest.count >= 2 else { return nil }
    let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
    rest = rest.dropFirst(2)
    guard rest.count >= length else { return nil }
    if let header = rest.prefix(length).first { sets.formUnion(codec.set(header)) }
    rest = rest.dropFirst(length)
    return ()
  }
}

extension StoredParameterSets {
  /// Reads an `avcC` (ISO/IEC 14496-15 §5.3.3.1.2). If the record is damaged, the types before the damage are kept.
  init(avc record: ArraySlice<UInt8>?) {
    self.init(codec: .avc)
    guard var rest = record, rest.count >= 6, rest.first == 1 else { return }
    lengthSize = Int(rest[rest.startIndex + 4] & 3) + 1
    rest = rest.dropFirst(5)
    // The sequence parameter sets come first, with a count of five bits, and then the picture parameter sets.
    for mask in [31, 255] as [UInt8] {
      guard let count = rest.popFirst() else { return }
      for _ in 0..<(count & mask) { guard addUnit(&rest) != nil else { return } }
    }
  }

  /// Reads an `hvcC` (ISO/IEC 14496-15 §8.3.3.1.2). If the record is damaged, the types before the damage are kept.
  init(hevc record: ArraySlice<UInt8>?) {
    self.init(codec: .hevc)
    guard var rest = record, rest.count >= 23, rest.first == 1 else { return }
    lengthSize = Int(rest[rest.startIndex + 21] & 3) + 1
    let arrays = rest[rest.startIndex + 22]
    rest = rest.dropFirst(23)
    for _ in 0..<arrays {
      guard rest.count >= 3 else { return }
      let count = Int(rest[rest.startIndex + 1]) << 8 | Int(rest[rest.startIndex + 2])
      rest = rest.dropFirst(3)
      for _ in 0..<count { guard addUnit(&rest) != nil else { return } }
    }
  }
}

/// A search in samples for the parameter sets that a track's sample entries lack.
struct ParameterSetSearch {
  private(set) var missing: ParameterSets
  private let codec: ParameterSets.Codec
  private let lengthSize: Int?

  /// - Returns: nil if no set is missing, or if the codec needs no parameter sets.
  init?(_ entries: [SampleEntry]) {
    let stored = entries.compactMap(\.parameterSets)
    // Samples may use an entry whose parameter sets are unknown, for instance an encrypted one.
    guard let first = stored.first, stored.count == entries.count, stored.allSatisfy({ $0.codec == first.codec }) else {
      return nil
    }
    codec = first.codec
    lengthSize = first.lengthSize
    missing = stored.reduce(codec.required) { $0.subtracting($1.sets) }
    if missing.isEmpty { return nil }
  }

  /// Searches the NAL units of a sample. It reads only the first byte of each, so the cost does not depend on the size
  /// of the sample.
  ///
  /// - Parameter sample: the range of the sample in the file.
  mutating func look<Source: ByteSource>(
    in sample: Range<UInt64>, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) {
    guard let lengthSize else { return try lookForStartCodes(in: sample, &scanner) }
    var position = sample.lowerBound
    for _ in 0..<Limits.parameterSetUnits {
      guard !missing.isEmpty, sample.upperBound - position > UInt64(lengthSize) else { return }
      let bytes = try scanner.read(position..<(position + UInt64(lengthSize) + 1))
      let length = bytes.dropLast().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      position += UInt64(lengthSize)
      guard length <= sample.upperBound - position else { return }
      if length > 0, let header = bytes.last { missing.subtract(codec.set(header)) }
      position += length
    }
  }

  /// Searches a sample whose entry has no configuration record. Decoders treat such samples as a byte stream (ISO/IEC
  /// 14496-10 Annex B), or assume lengths of 4 bytes.
  private mutating func lookForStartCodes<Source: ByteSource>(
    in sample: Range<UInt64>, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) {
    let count = min(sample.upperBound - sample.lowerBound, Limits.parameterSetBytes)
    let bytes = try scanner.read(sample.lowerBound..<(sample.lowerBound + count))
    guard bytes.starts(with: [0, 0, 0, 1]) || bytes.starts(with: [0, 0, 1]) else {
      var lengths = self.withLengths(of: 4)
      try lengths.look(in: sample, &scanner)
      missing = lengths.missing
      return
    }
    for (index, header) in bytes.enumerated().dropFirst(3)
    where bytes[index - 1] == 1 && bytes[index - 2] == 0 && bytes[index - 3] == 0 {
      missing.subtract(codec.set(header))
    }
  }

  private func withLengths(of size: Int) -> ParameterSetSearch {
    ParameterSetSearch(missing: missing, codec: codec, lengthSize: size)
  }

  private init(missing: ParameterSets, codec: ParameterSets.Codec, lengthSize: Int) {
    self.missing = missing
    self.codec = codec
    self.lengthSize = lengthSize
  }
}
