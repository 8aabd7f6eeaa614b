internal import FootageBase

/// A `trak` that was read and checked.
struct Track: Sendable {
  /// The boxes of a track that a writer may rewrite.
  struct Boxes: Sendable {
    let track, header, media, mediaHeader, mediaInformation, sampleTable, sampleDescriptions: Box
    let edits: Box?
    /// The children of `stbl`. `trackChildren` are those of `trak`.
    let sampleTableChildren: [Box]
    let trackChildren: [Box]
  }

  let boxes: Boxes
  /// The track ID, which is not 0.
  let id: UInt32
  /// The type of the track: `vide`, `soun`, `tmcd`, … (ISO/IEC 14496-12 §8.4.3).
  let handler: FourCharacterCode
  /// The number of ticks a second.
  let timescale: UInt32
  let matrix: DisplayMatrix
  /// True if the track is shown by default (`tkhd`, ISO/IEC 14496-12 §8.3.2).
  let isEnabled: Bool
  let edits: EditList
  /// The sample entries, at least one.
  let sampleEntries: [SampleEntry]
  let samples: SampleTable
  let notes: [String]

  private static let path = "moov/trak"

  var isPictureOrSound: Bool { Movie.playableHandlers.contains(handler) }

  init(_ box: Box, in buffer: BoxBuffer, movieTimescale: UInt32) throws(MP4Error) {
    let path = Self.path
    let children = try buffer.children(of: box, at: path, single: ["tkhd", "mdia", "edts"])
    let header = try children.required("tkhd")
    (id, matrix) = try Self.header(buffer.fields(of: header, in: path))
    // The header was read, so it has its version and flags.
    isEnabled = buffer.bytes.borrowedSpan.uint32(at: header.payload.lowerBound) & 1 == 1
    let media = try children.required("mdia")
    let mediaChildren = try buffer.children(of: media, at: path + "/mdia", single: ["mdhd", "hdlr", "minf"])
    let mediaHeader = try mediaChildren.required("mdhd")
    timescale = try Self.timescale(buffer.fields(of: mediaHeader, in: path + "/mdia"))
    handler = try Self.handler(buffer.fields(of: try mediaChildren.required("hdlr"), in: path + "/mdia"))
    let information = try mediaChildren.required("minf")
    let minf = path + "/mdia/minf"
    let informationChildren = try buffer.children(of: information, at: minf, single: ["dinf", "stbl"])
    if let dataInformation = informationChildren["dinf"] {
      try Self.refuseExternalData(dataInformation, in: buffer, at: minf + "/dinf")
    }
    let table = try informationChildren.required("stbl")
    let stbl = minf + "/stbl"
    let tableChildren = try buffer.children(of: table, at: stbl, single: SampleTable.singleBoxes)
    let descriptions = try tableChildren.required("stsd")
    sampleEntries = try SampleEntry.all(in: descriptions, of: buffer, handler: handler, path: stbl)
    // Without an entry, nothing describes the samples, including those of fragments.
    guard !sampleEntries.isEmpty else {
      throw .malformed(buffer.place(of: descriptions, in: stbl), "describes no samples")
    }
    samples = try SampleTable(tableChildren, in: buffer, at: stbl, sampleEntryCount: sampleEntries.count)
    edits = try EditList(children["edts"], in: buffer, at: path, movieTimescale: movieTimescale)
    boxes = Boxes(
      track: box, header: header, media: media, mediaHeader: mediaHeader, mediaInformation: information,
      sampleTable: table, sampleDescriptions: descriptions, edits: children["edts"],
      sampleTableChildren: tableChildren.all, trackChildren: children.all)
    let id = id
    notes = samples.notes.map { "track \(id): \($0)" }
  }

  /// Reads `tkhd` (ISO/IEC 14496-12 §8.3.2).
  private static func header(_ fields: FieldReader) throws(MP4Error) -> (id: UInt32, DisplayMatrix) {
    var fields = fields
    let times = try HeaderTimes(&fields)
    let id = try fields.uint32()
    try fields.skip(4)
    _ = try times.duration(&fields)
    try fields.skip(16)
    let matrix = try DisplayMatrix(&fields)
    try fields.skip(8)
    guard id > 0 else { throw fields.malformed("has the track ID 0") }
    return (id, matrix)
  }

  /// Returns the ID of a track whose other boxes may be broken.
  static func id(of box: Box, in buffer: BoxBuffer) -> UInt32? {
    guard let header = try? buffer.boxes(in: box.payload, of: path).first(where: { $0.type == "tkhd" }) else {
      return nil
    }
    return try? self.header(buffer.fields(of: header, in: path)).id
  }

  /// Reads `mdhd` (ISO/IEC 14496-12 §8.4.2).
  private static func timescale(_ fields: FieldReader) throws(MP4Error) -> UInt32 {
    var fields = fields
    let times = try HeaderTimes(&fields)
    let timescale = try fields.uint32()
    _ = try times.duration(&fields)
    try fields.skip(4)
    guard timescale > 0 else { throw fields.malformed("has a timescale of 0") }
    return timescale
  }

  /// Reads `hdlr` (ISO/IEC 14496-12 §8.4.3).
  private static func handler(_ fields: FieldReader) throws(MP4Error) -> FourCharacterCode {
    var fields = fields
    try fields.skip(8)
    return FourCharacterCode(try fields.uint32())
  }

  /// Returns the handler of a track whose other boxes may be broken.
  static func handler(of box: Box, in buffer: BoxBuffer) -> FourCharacterCode? {
    guard let media = try? buffer.boxes(in: box.payload, of: path).first(where: { $0.type == "mdia" }),
      let handler = try? buffer.boxes(in: media.payload, of: path).first(where: { $0.type == "hdlr" })
    else { return nil }
    return try? self.handler(buffer.fields(of: handler, in: path))
  }

  /// Checks that every entry of `dref` states that the data is in this file (ISO/IEC 14496-12 §8.7.2).
  private static func refuseExternalData(_ box: Box, in buffer: BoxBuffer, at path: String) throws(MP4Error) {
    guard let references = try buffer.children(of: box, at: path, single: ["dref"])["dref"] else { return }
    var fields = buffer.fields(of: references, in: path)
    try fields.skip(8)
    for reference in try buffer.boxes(in: fields.position..<references.end, of: path + "/dref") {
      var entry = buffer.fields(of: reference, in: path + "/dref")
      guard try entry.versionAndFlags().flags & 1 == 1 else {
        throw .externalData(buffer.place(of: reference, in: path + "/dref"))
      }
    }
  }
}
