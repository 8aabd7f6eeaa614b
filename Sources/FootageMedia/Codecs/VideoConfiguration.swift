internal import FootageBase

/// A video codec's configuration record, for the codecs whose records Footage reads.
enum VideoConfiguration: Hashable, Sendable {
  case avc(AVCConfiguration)
  case hevc(HEVCConfiguration)

  var coding: VideoCoding {
    switch self {
    case .avc(let configuration): configuration.coding
    case .hevc(let configuration): configuration.coding
    }
  }

  /// Adds missing parameter sets from a sample's own NAL units, where `avc3` and `hev1` keep them.
  ///
  /// - Parameters:
  ///   - sample: the range of the first key frame within the source.
  ///   - lengthSize: the size of the length field before each unit, in bytes.
  /// - Throws: the errors of the source.
  mutating func complete<Source: ByteSource>(
    from sample: Range<UInt64>, lengthSize: Int, in source: Source
  ) throws(Source.Failure) {
    var units = SampleUnits(of: sample, lengthSize: lengthSize, in: source)
    for _ in 0..<Limits.parameterSetUnits {
      guard lacksParameters, let unit = try units.next(first: Limits.parameterSetPrefix) else { return }
      switch self {
      case .avc(var configuration):
        if configuration.sequenceParameters == nil {
          configuration.sequenceParameters = AVCSequenceParameters(unit.start)
        }
        if configuration.pictureParameters == nil {
          configuration.pictureParameters = AVCPictureParameters(unit.start)
        }
        self = .avc(configuration)
      case .hevc(var configuration):
        if configuration.sequenceParameters == nil {
          configuration.sequenceParameters = HEVCSequenceParameters(unit.start)
        }
        self = .hevc(configuration)
      }
    }
  }

  /// True if parameter sets are not in the record, or cannot be read there.
  var lacksParameters: Bool {
    switch self {
    case .avc(let configuration): configuration.sequenceParameters == nil || configuration.pictureParameters == nil
    case .hevc(let configuration): configuration.sequenceParameters == nil
    }
  }
}
