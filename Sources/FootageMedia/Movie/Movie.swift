/// A `moov` that was read and checked.
struct Movie: Sendable {
  let buffer: BoxBuffer
  let header: MovieHeader
  /// The tracks that are served, in file order.
  private(set) var tracks: [Track]
  /// True if there is an `mvex`, so that fragments may follow (ISO/IEC 14496-12 §8.8.1).
  let allowsFragments: Bool
  /// The defaults of fragments by track ID (ISO/IEC 14496-12 §8.8.3).
  let fragmentDefaults: [UInt32: FragmentDefaults]
  /// The direct children of `moov`.
  let children: [Box]
  /// The tracks that are left out because they are broken.
  private(set) var brokenTracks: [Box]
  /// The IDs of the broken tracks that have one. Fragments may still contain samples of these tracks.
  private(set) var brokenTrackIDs: Set<UInt32>
  /// The fault of the first broken track of pictures or sound. It is the reason to refuse the file if no other track
  /// plays.
  private var fault: MP4Error?
  /// Sentences about irregularities in the file.
  private(set) var notes: [String]

  /// Returns the note about a movie whose times begin at so many seconds in the file; nil if that is 0.
  static func note(beginning seconds: Int64) -> String? {
    seconds == 0 ? nil : "times begin at \(seconds) s in the file, and at 0 in the served recording"
  }

  /// Sentences about the edits that are left out.
  var editNotes: [String] {
    tracks.filter(\.edits.isMended).map { "track \($0.id): empty edits of more than a day are left out" }
  }

  /// - Throws: `MP4Error` if the `moov` is broken or of a kind that is not supported.
  init(_ buffer: BoxBuffer) throws(MP4Error) {
    self.buffer = buffer
    let children = try buffer.children(of: buffer.root, at: "moov", single: ["mvhd", "mvex", "cmov"])
    if let compressed = children["cmov"] { throw .compressedMovie(buffer.place(of: compressed, in: "moov")) }
    self.children = children.all
    header = try MovieHeader(buffer.fields(of: try children.required("mvhd"), in: "moov"))

    var tracks: [Track] = []
    var brokenTracks: [Box] = []
    var brokenTrackIDs: Set<UInt32> = []
    var fault: MP4Error?
    var notes: [String] = []
    var sampleCount = 0
    for box in children.all where box.type == "trak" {
      guard tracks.count + brokenTracks.count < Limits.tracks else {
        throw .tooMuch(buffer.place(of: box, in: "moov"), of: "tracks before it", limit: UInt64(Limits.tracks))
      }
      let track: Track
      do throws(MP4Error) {
        track = try Track(box, in: buffer, movieTimescale: header.timescale)
      } catch {
        // A fault that concerns one track is no reason to refuse the others.
        guard error.concernsOneTrack else { throw error }
        let handler = Track.handler(of: box, in: buffer)
        // A track whose handler cannot be read counts as pictures.
        if handler.map(Self.playableHandlers.contains) ?? true { fault = fault ?? error }
        brokenTracks.append(box)
        if let id = Track.id(of: box, in: buffer) { brokenTrackIDs.insert(id) }
        notes.append(Self.leftOut(handler, because: error))
        continue
      }
      if tracks.contains(where: { $0.id == track.id }) {
        let error = MP4Error.malformed(
          buffer.place(of: box, in: "moov"), "has the same track ID \(track.id) as another track")
        // If two playable tracks share an ID, it is not clear which one is meant.
        guard !Self.playableHandlers.contains(track.handler) else { throw error }
        brokenTracks.append(box)
        notes.append(Self.leftOut(track.handler, because: error))
        continue
      }
      // A second of plain sound has tens of thousands of samples of one size, which are counted by chunks.
      let entryCount =
        track.handler == "soun" && track.samples.hasOneSize
        ? min(track.samples.count, track.samples.chunkOffsets.entries.count) : track.samples.count
      guard sampleCount + entryCount <= Limits.samples else {
        let error = MP4Error.tooMuch(buffer.place(of: box, in: "moov"), of: "samples", limit: UInt64(Limits.samples))
        guard track.handler != "vide" else { throw error }
        // The pictures play without it.
        brokenTracks.append(box)
        brokenTrackIDs.insert(track.id)
        fault = fault ?? error
        notes.append(Self.leftOut(track.handler, because: error))
        continue
      }
      sampleCount += entryCount
      tracks.append(track)
      notes += track.notes
    }
    // No track is left that could play, now or after more fragments.
    if let fault, !tracks.contains(where: \.isPictureOrSound) { throw fault }
    self.tracks = tracks
    self.brokenTracks = brokenTracks
    self.brokenTrackIDs = brokenTrackIDs.subtracting(tracks.map(\.id))
    self.fault = fault

    if let extends = children["mvex"] {
      allowsFragments = true
      fragmentDefaults = try FragmentDefaults.all(in: extends, of: buffer)
    } else {
      allowsFragments = false
      fragmentDefaults = [:]
    }
    self.notes = notes
  }

  /// The handlers of pictures and sound. A file without a track of either kind cannot be served.
  static let playableHandlers: Set<FourCharacterCode> = ["vide", "soun"]

  /// Leaves out a track that is broken.
  mutating func leaveOut(_ track: Track, because error: MP4Error) {
    tracks.removeAll { $0.id == track.id }
    brokenTracks.append(track.boxes.track)
    brokenTrackIDs.insert(track.id)
    if track.isPictureOrSound { fault = fault ?? error }
    notes.append(Self.leftOut(track.handler, because: error))
  }

  private static func leftOut(_ handler: FourCharacterCode?, because error: MP4Error) -> String {
    "a track\(handler.map { " of type '\($0)'" } ?? "") is left out: \(error)"
  }

  /// Returns the reason why the file cannot be served, permanently or for now, if none of the remaining tracks can be
  /// played.
  ///
  /// - Throws: the fault of a track that was left out.
  func nothingToPlay() throws(MP4Error) -> MP4Error {
    if let fault { throw fault }
    return .nothingToPlay(buffer.place(of: buffer.root, in: ""))
  }

  /// Leaves out a video track that no decoder can read, if there is another video track. Sound alone does not replace a
  /// camera's pictures.
  ///
  /// - Throws: `noParameterSets` if there is no other video track.
  mutating func leaveOut(_ track: Track, without missing: ParameterSets) throws(MP4Error) {
    let error = MP4Error.noParameterSets(
      buffer.place(of: track.boxes.sampleDescriptions, in: "moov/trak/mdia/minf/stbl"), missing: "\(missing)")
    guard tracks.contains(where: { $0.id != track.id && $0.handler == "vide" }) else { throw error }
    leaveOut(track, because: error)
  }

  /// The number of samples in all tracks together.
  var sampleCount: Int { tracks.reduce(0) { $0 + $1.samples.count } }
}

/// The movie header, `mvhd` (ISO/IEC 14496-12 §8.2.2).
struct MovieHeader: Sendable {
  /// The creation time in seconds since 1970, or nil if the field is 0.
  let creationTime: Int64?
  /// The number of ticks a second.
  let timescale: UInt32
  /// The duration in ticks, or 0 if it is not known, as in fragmented files.
  let duration: UInt64
  let matrix: DisplayMatrix

  init(_ fields: FieldReader) throws(MP4Error) {
    var fields = fields
    let times = try HeaderTimes(&fields)
    creationTime = times.unixCreation
    timescale = try fields.uint32()
    duration = try times.duration(&fields)
    try fields.skip(16)
    matrix = try DisplayMatrix(&fields)
    try fields.skip(28)
    guard timescale > 0 else { throw fields.malformed("has a timescale of 0") }
  }
}

/// The fields at the beginning of `mvhd`, `tkhd` and `mdhd`, which are the same in all three.
struct HeaderTimes {
  let version: UInt8
  /// The creation time in seconds since 1904-01-01T00:00:00Z.
  let creation: UInt64

  init(_ fields: inout FieldReader) throws(MP4Error) {
    version = try fields.versionAndFlags().version
    guard version <= 1 else { throw fields.malformed("has the unknown version \(version)") }
    creation = version == 1 ? try fields.uint64() : UInt64(try fields.uint32())
    try fields.skip(version == 1 ? 8 : 4)
  }

  /// Reads a duration. All ones mean, like 0, that it is not known.
  func duration(_ fields: inout FieldReader) throws(MP4Error) -> UInt64 {
    if version == 1 {
      let duration = try fields.uint64()
      return duration == .max ? 0 : duration
    }
    let duration = try fields.uint32()
    return duration == .max ? 0 : UInt64(duration)
  }

  /// The number of seconds from 1904 to 1970.
  private static let epoch: UInt64 = 2_082_844_800

  /// The creation time in seconds since 1970. Many recorders count from 1970 instead of 1904, so a value that would
  /// mean a time before 1970 is read as counted from 1970.
  var unixCreation: Int64? {
    guard creation > 0, creation <= UInt64(Int64.max) else { return nil }
    return Int64(creation >= Self.epoch ? creation - Self.epoch : creation)
  }
}
