internal import FootageBase

/// A codec of pictures that no browser plays in an MP4.
package struct UnplayableVideo: Hashable, Sendable, CustomStringConvertible {
  /// The codec as RFC 6381 names it.
  package let codec: String
  /// The codec's usual name; nil for one that is not in the table.
  package let name: String?

  package var description: String { name.map { "\($0), '\(codec)'" } ?? "'\(codec)'" }

  /// The sample entries of the codecs that at least one browser plays, and of encrypted pictures, which are refused for
  /// that reason.
  private static let played: Set<FourCharacterCode> = [
    "avc1", "avc2", "avc3", "avc4", "hvc1", "hev1", "hvc2", "hev2", "dvh1", "dvhe", "dva1", "dvav", "av01", "dav1",
    "vp08", "vp09",
    "encv",
  ]

  private static let names: [FourCharacterCode: String] = [
    "mp4v": "MPEG-4 Part 2", "jpeg": "Motion JPEG", "mjpa": "Motion JPEG", "mjpb": "Motion JPEG",
    "mjpg": "Motion JPEG", "MJPG": "Motion JPEG", "AVDJ": "Motion JPEG", "mjp2": "Motion JPEG 2000", "png ": "PNG",
    "s263": "H.263", "h263": "H.263", "H263": "H.263", "ap4x": "ProRes", "ap4h": "ProRes", "apch": "ProRes",
    "apcn": "ProRes", "apcs": "ProRes", "apco": "ProRes", "aprn": "ProRes RAW", "AVdn": "DNxHD", "AVdh": "DNxHR",
    "dvc ": "DV", "dvcp": "DV", "dvpp": "DV", "m2v1": "MPEG-2", "mx5p": "MPEG-2", "xdv1": "MPEG-2", "vvc1": "H.266",
    "vvi1": "H.266", "raw ": "uncompressed", "2vuy": "uncompressed", "v210": "uncompressed", "uncv": "uncompressed",
    "CFHD": "CineForm", "rle ": "QuickTime Animation", "FFV1": "FFV1", "XVID": "MPEG-4 Part 2",
    "DIVX": "MPEG-4 Part 2",
  ]

  /// The codecs in an `mp4v` sample entry by the object type of its decoder configuration (ISO/IEC 14496-1 §7.2.6.6).
  private static let objectNames: [(prefix: String, name: String)] = [
    ("mp4v.6", "MPEG-2"), ("mp4v.6A", "MPEG-1"), ("mp4v.6C", "Motion JPEG"), ("mp4v.6D", "PNG"),
    ("mp4v.6E", "JPEG 2000"),
  ]

  /// - Returns: nil if a browser plays the codec.
  init?(_ entry: SampleEntry) {
    guard !Self.played.contains(entry.type) else { return nil }
    codec = entry.codec
    let object = Self.objectNames.last { entry.codec.uppercased().hasPrefix($0.prefix.uppercased()) }
    name = object?.name ?? Self.names[entry.type]
  }
}
