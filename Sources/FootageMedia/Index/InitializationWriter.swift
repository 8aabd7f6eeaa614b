internal import FootageBase

/// A writer of init segments, which tell a decoder about a recording's tracks before their fragments (ISO/IEC 14496-12
/// §8.8, RFC 8216 §3.3).
///
/// They have no edit list, because players interpret it differently. The fragments' times are sufficient.
struct InitializationWriter {
  let movie: Movie
  let leading: Track
  let sound: Track?

  /// - Parameter description: the entry of the leading track's `stsd`, from 0.
  func initialization(_ description: UInt16) throws(MP4Error) -> SampleIndex.Initialization {
    let alone = try write([leading], description)
    guard let sound else { return SampleIndex.Initialization(bytes: alone[...], leadingAlone: alone[...]) }
    return SampleIndex.Initialization(bytes: try write([leading, sound], description)[...], leadingAlone: alone[...])
  }

  private func write(_ tracks: [Track], _ description: UInt16) throws(MP4Error) -> [UInt8] {
    var writer = MovieWriter(movie, after: Self.fileType)
    try writer.box("moov") { (writer) throws(MP4Error) in
      for child in movie.children where child.type == "mvhd" {
        try writer.header(child, timescale: movie.header.timescale, duration: 0, in: "moov")
      }
      for track in tracks {
        // The flags make the track enabled and part of the presentation, whatever they were.
        try writer.track(
          track, movieDuration: 0, mediaDuration: 0, flags: 0b11, keeping: Self.kept
        ) { (writer) throws(MP4Error) in
          let index = track.id == leading.id ? Int(description) : 0
          try writer.sampleDescription(
            UInt32(index) + 1, of: track, as: track.sampleEntries[index].typeOfWholeSets, isPlain: true)
          writer.tables(SampleTableBuilder(), mediaLength: 0, is64Bit: false)
        }
      }
      writer.fragmentDefaults(of: tracks.map(\.id))
    }
    return writer.bytes
  }

  /// The `ftyp` of init segments. `iso6` is the brand for fragments whose data offsets are relative to their `moof`.
  /// Safari needs a compatible brand other than the major one.
  static let fileType: [UInt8] = {
    var writer = BoxWriter()
    writer.box("ftyp") {
      for brand in ["iso6", "\0\0\0\0", "iso5", "iso6", "mp41"] as [FourCharacterCode] { $0.uint32(brand.rawValue) }
    }
    return writer.bytes
  }()

  /// The boxes of a track that a player needs besides its samples: media headers, including QuickTime's, and the
  /// location of data.
  static let kept: Set<FourCharacterCode> = [
    "tkhd", "mdia", "mdhd", "hdlr", "minf", "vmhd", "smhd", "gmhd", "dinf", "stbl",
  ]
}

extension SampleEntry {
  /// The type of an entry that contains all parameter sets, for players that support only these types: `hvc1` or `avc1`
  /// (ISO/IEC 14496-15 §5.3, §8.3). It is nil if the entry keeps its type.
  fileprivate var typeOfWholeSets: FourCharacterCode? {
    guard let parameterSets, parameterSets.sets.isSuperset(of: parameterSets.codec.required) else { return nil }
    return type == "hev1" ? "hvc1" : type == "avc3" ? "avc1" : nil
  }
}
