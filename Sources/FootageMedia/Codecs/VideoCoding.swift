/// How pictures are coded, as the codec's configuration and its parameter sets say it.
package struct VideoCoding: Hashable, Sendable {
  package enum Scan: String, Sendable {
    case progressive
    /// Fields may be coded alone, or pairs of macroblocks by field (H.264).
    case interlaced
    /// Both occur (HEVC).
    case mixed
  }

  package enum EntropyCoding: String, Sendable {
    case cavlc = "CAVLC"
    case cabac = "CABAC"
  }

  /// `High`, `Main 10`; a number where it has no name.
  package var profile: String
  /// `3.1`.
  package var level: String
  /// HEVC's `Main` or `High`; nil for H.264.
  package var tier: String?
  /// How many pictures others may refer to, 0 to 16; nil where no sequence parameter set can be read.
  package var referenceFrames: Int?
  package var scan: Scan?
  package var entropyCoding: EntropyCoding?
  /// `4:2:0`; nil where it is not known.
  package var chromaFormat: String?
  /// Bits of a luma sample.
  package var lumaDepth: Int?
  package var chromaDepth: Int?
  package var colour: VideoColour?

  package init(
    profile: String, level: String, tier: String? = nil, referenceFrames: Int? = nil, scan: Scan? = nil,
    entropyCoding: EntropyCoding? = nil, chromaFormat: String? = nil, lumaDepth: Int? = nil, chromaDepth: Int? = nil,
    colour: VideoColour? = nil
  ) {
    self.profile = profile
    self.level = level
    self.tier = tier
    self.referenceFrames = referenceFrames
    self.scan = scan
    self.entropyCoding = entropyCoding
    self.chromaFormat = chromaFormat
    self.lumaDepth = lumaDepth
    self.chromaDepth = chromaDepth
    self.colour = colour
  }

  /// By `chroma_format_idc`, which H.264 and HEVC share.
  static func chromaFormat(_ code: UInt8) -> String? {
    switch code {
    case 0: "4:0:0"
    case 1: "4:2:0"
    case 2: "4:2:2"
    case 3: "4:4:4"
    default: nil
    }
  }

  /// By a parameter set's `bit_depth_…_minus8`; nil for more than the standards know.
  static func depth(_ code: UInt32) -> Int? { code <= 8 ? 8 + Int(code) : nil }
}
