package import FootageBase

/// The path and the position of a box.
package struct BoxPlace: Hashable, Sendable, CustomStringConvertible {
  /// The types from the outermost box to this one, joined by `/`: `moov/trak/mdia`.
  package let path: String
  /// The offset of the box's first byte in the file.
  package let offset: UInt64

  package init(_ path: String, at offset: UInt64) {
    self.path = path
    self.offset = offset
  }

  /// - Parameter parent: the path of the parent box, empty for a top-level box.
  init(_ type: FourCharacterCode, in parent: String, at offset: UInt64) {
    self.init(parent.isEmpty ? "\(type)" : "\(parent)/\(type)", at: offset)
  }

  package var description: String { "box '\(path)' at byte \(offset)" }
}

/// The reason why a file cannot be served, the place of the fault in it, and the remedy.
package enum MP4Error: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes could not be read. The file's content may be valid.
  case unreadable(ReadFailure)

  // The file is cut short: more bytes may mend it.
  case empty
  /// The last bytes are too few for the header of a box.
  case headerCut(offset: UInt64, length: UInt64)
  case boxCut(BoxPlace, claims: UInt64, length: UInt64)
  /// The file has no `moov`.
  case unfinished(length: UInt64)
  /// The file is fragmented but has no complete fragment.
  case noWholeFragment(length: UInt64)
  case samplesBeyondEnd(BoxPlace, dataEnd: UInt64, length: UInt64)
  /// No video or audio track has a sample.
  case nothingToPlay(BoxPlace)

  // The file is broken or not supported: more bytes do not mend it.
  case notMP4(String)
  case overrun(BoxPlace, claims: UInt64, parentEnd: UInt64)
  case malformed(BoxPlace, String)
  case duplicate(BoxPlace)
  case missing(FourCharacterCode, in: BoxPlace)
  case tooMuch(BoxPlace, of: String, limit: UInt64)
  /// The samples lie in a box that is not for media, or extend beyond the end of a box.
  case samplesOutside(BoxPlace, data: Range<UInt64>)
  /// Parameter sets are missing in the sample description as well as in the first key frame.
  case noParameterSets(BoxPlace, missing: String)
  case compressedMovie(BoxPlace)
  case externalData(BoxPlace)
  case encryptedFragments(BoxPlace)
  /// The file has a `saio` or `iloc` with file offsets that cannot be adjusted to a new layout.
  case absoluteOffsets(BoxPlace)
  /// The file is a media segment without the `moov` that describes it.
  case fragmentWithoutMovie(BoxPlace)

  /// True if the fault concerns only the track in which it was found.
  var concernsOneTrack: Bool {
    switch self {
    case .malformed, .missing, .duplicate, .overrun, .samplesOutside: true
    default: false
    }
  }

  /// The explanation for a truncated file. It is the same for an interrupted copy and an interrupted recorder, because
  /// both leave the same kind of file.
  private static let cutShort =
    "the recorder never finished this file, or a copy was cut short; stop the recorder cleanly, or copy the file again"

  /// The explanation for a file whose boxes contradict each other or the format.
  private static let broken =
    "the file is broken; if it is a copy, copy it again, otherwise check the recorder and its disk"

  package var description: String {
    switch self {
    case .unreadable(let failure): failure.description
    case .empty: "the file is empty: nothing was recorded, or the recorder has not begun to write"
    case .headerCut(let offset, let length):
      "the file ends at byte \(length), inside the header of the box at byte \(offset): \(Self.cutShort)"
    case .boxCut(let place, let claims, let length):
      "\(place) claims \(claims) bytes, but the file ends at byte \(length): \(Self.cutShort)"
    case .unfinished(let length):
      "the recorder never finished this file: its \(length) bytes contain no 'moov' box, which says where the pictures"
        + " are; stop the recorder cleanly, or have it write fragments"
    case .noWholeFragment(let length):
      "the recorder never finished this file: its \(length) bytes contain no whole fragment;"
        + " have the recorder write shorter fragments"
    case .samplesBeyondEnd(let place, let dataEnd, let length):
      "\(place) refers to samples up to byte \(dataEnd), but the file ends at byte \(length):"
        + " it was cut short; copy it again"
    case .nothingToPlay(let place):
      "\(place) describes neither pictures nor sound: the recorder stopped before the first of them, or recorded"
        + " neither; check the recorder"
    case .notMP4(let reason): "this is not an MP4 file: \(reason)"
    case .overrun(let place, let claims, let parentEnd):
      "\(place) claims \(claims) bytes, but its parent ends at byte \(parentEnd): \(Self.broken)"
    case .malformed(let place, let reason): "\(place) \(reason): \(Self.broken)"
    case .duplicate(let place):
      "\(place) is a duplicate, and it is unclear which one counts: \(Self.broken)"
    case .missing(let type, let place): "\(place) has no '\(type)' box: \(Self.broken)"
    case .tooMuch(let place, let what, let limit):
      "\(place) has more than \(limit) \(what), which is the limit: record shorter files"
    case .samplesOutside(let place, let data):
      "\(place) refers to samples in bytes \(data.lowerBound) to \(data.upperBound), which are not media data:"
        + " \(Self.broken)"
    case .noParameterSets(let place, let missing):
      "\(place) has no \(missing), and the first key frame of the video track has none either, so no player can decode"
        + " it: have the recorder store its parameter sets, or repeat them before each key frame"
    case .compressedMovie(let place):
      "\(place) is a compressed 'moov', which players no longer read: rewrite the file without compressed headers"
    case .externalData(let place):
      "\(place) refers to media data in another file: rewrite the file with its media inside"
    case .encryptedFragments(let place):
      "\(place) describes encrypted samples in fragments, which cannot be joined: decrypt the file first"
    case .absoluteOffsets(let place):
      "\(place) contains file offsets that cannot be adjusted: rewrite the file with 'moov' first"
    case .fragmentWithoutMovie(let place):
      "\(place) is a fragment without the 'moov' that describes it: put the initialization segment in front of it"
    }
  }
}
