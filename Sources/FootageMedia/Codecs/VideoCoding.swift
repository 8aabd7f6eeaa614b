/// The coding of pictures according to the codec's configuration and its parameter sets.
package struct VideoCoding: Hashable, Sendable {
  package enum Scan: String, Sendable {
    case progressive
    /// Fields may be coded separately, or pairs of macroblocks may be coded by field (H.264).
    case interlaced
    /// Progressive and interlaced pictures both occur (HEVC).
    case mixed
  }

  package enum EntropyCoding: String, Sendable {
    case cavlc = "CAVLC"
    case cabac = "CABAC"
  }

  /// The profile: `High`, `Main 10`, or a number if it has no name.
  package var profile: String
  /// The level: `3.1`.
  package var level: String
  /// The tier, `Main` or `High`, for HEVC, or nil for H.264.
  package var tier: String?
  /// The number of reference pictures, 0 to 16. It is nil if no sequence parameter set can be read.
  package var referenceFrames: Int?
  package var scan: Scan?
  package var entropyCoding: EntropyCoding?
  /// The chroma format, as in `4:2:0`, or nil if it is not known.
  package var chromaFormat: String?
  /// The number of bits of a luma sample.
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

  /// Returns the chroma format for a `chroma_format_idc`, which H.264 and HEVC share.
  static func chromaFormat(_ code: UInt8) -> String? {
    switch code {
    case 0: "4:0:0"
    case 1: "4:2:0"
    case 2: "4:2:2"
    case 3: "4:4:4"
    default: nil
    }
  }

  /// Returns the depth for a parameter set's `bit_depth_…_minus8`, or nil for more than the standards define.
  static func depth(_ code: UInt32) -> Int? { code <= 8 ? 8 + Int(code) : nil }
}
