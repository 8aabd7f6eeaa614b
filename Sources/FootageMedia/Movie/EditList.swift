/// The edit list of a track, `elst`: the parts of the track and the times at which they are shown (ISO/IEC 14496-12
/// §8.6.6).
struct EditList: Hashable, Sendable {
  struct Edit: Hashable, Sendable {
    /// The duration in the movie's ticks. In a fragmented file, 0 means that the edit extends to the end of the media.
    var duration: UInt64
    /// The start of the media in the track's ticks. -1 is an empty edit, which shows nothing.
    var mediaTime: Int64
  }

  var edits: [Edit]
  /// True if the file's list has empty edits of more than a day. No recorder means them, so they are left out here.
  private(set) var isMended = false

  init(edits: [Edit] = []) { self.edits = edits }

  /// - Parameter box: the `edts`, or nil if there is none.
  init(_ box: Box?, in buffer: BoxBuffer, at path: String, movieTimescale: UInt32) throws(MP4Error) {
    edits = []
    guard let box, let list = try buffer.children(of: box, at: path + "/edts", single: ["elst"])["elst"] else { return }
    var fields = buffer.fields(of: list, in: path + "/edts")
    let version = try fields.versionAndFlags().version
    guard version <= 1 else { throw fields.malformed("has the unknown version \(version)") }
    let count = try fields.uint32()
    guard count <= UInt32(Limits.edits) else {
      throw .tooMuch(buffer.place(of: list, in: path + "/edts"), of: "edits", limit: UInt64(Limits.edits))
    }
    let entrySize = version == 1 ? 20 : 12
    guard Int(count) * entrySize <= fields.remaining else {
      throw fields.malformed("claims \(count) edits, more than it has room for")
    }
    var empty: UInt64 = 0
    for _ in 0..<count {
      let duration = version == 1 ? try fields.uint64() : UInt64(try fields.uint32())
      let mediaTime =
        version == 1
        ? Int64(bitPattern: try fields.uint64()) : Int64(Int32(bitPattern: try fields.uint32()))
      guard mediaTime >= -1 else {
        throw fields.malformed("has an invalid edit of \(duration) ticks from media time \(mediaTime)")
      }
      try fields.skip(4)
      if mediaTime < 0 {
        let rest = UInt64(FragmentClock.longestGapSeconds) * UInt64(movieTimescale) - empty
        guard duration <= rest else {
          isMended = true
          continue
        }
        empty += duration
      }
      // No edit is longer, and none begins later, except in a fragmented file whose times begin as late.
      edits.append(
        Edit(duration: min(duration, UInt64(Limits.ticks)), mediaTime: min(mediaTime, 2 * Limits.ticks)))
    }
  }

  /// The duration of the empty edits at the beginning, in the movie's ticks. It is clamped to a time far beyond any
  /// recording.
  var leadingEmptyDuration: UInt64 {
    edits.prefix { $0.mediaTime < 0 }.reduce(0) { min($0 + $1.duration, UInt64(Limits.ticks)) }
  }

  /// The edits that are not empty.
  var mediaEdits: [Edit] { edits.filter { $0.mediaTime >= 0 } }

  /// Returns the duration of a track's presentation in seconds.
  ///
  /// - Parameter mediaEnd: the end of the last sample, in the track's ticks from the beginning of its media.
  func presentationDuration(movieTimescale: UInt32, timescale: UInt32, mediaEnd: Int64) -> Double {
    guard !edits.isEmpty else { return Double(max(0, mediaEnd)) / Double(timescale) }
    var seconds = 0.0
    for edit in edits {
      if edit.duration == 0, edit.mediaTime >= 0 {
        seconds += Double(max(0, mediaEnd - edit.mediaTime)) / Double(timescale)
      } else {
        seconds += Double(edit.duration) / Double(movieTimescale)
      }
    }
    return seconds
  }
}
