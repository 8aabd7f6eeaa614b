/// A recording that grows by fragments, and its film.

import FootageBase
import Testing

@testable import FootageMedia

struct GrowingRecording {
  private let bytes: Bytes
  /// The ends of its fragments.
  private let ends: [Int]
  private var written = 0
  private var indexer = GrowingIndexer()
  private var grown = GrownIndex()
  private(set) var fragmentCount = 0

  /// The first bytes of the file.
  private struct Prefix: ByteSource {
    let bytes: Bytes
    let length: UInt64

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(EndOfBytes) {
      guard offset <= length, UInt64(buffer.count) <= length - offset else { throw EndOfBytes(offset: length) }
      bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[Int(offset)...].prefix(buffer.count))) }
    }
  }

  init(_ bytes: Bytes) throws {
    self.bytes = bytes
    ends = Demuxed.boxes(bytes, 0..<bytes.count).filter { $0.type == "mdat" }.map(\.end)
  }

  /// Lets the recorder write the next fragment.
  ///
  /// - Returns: false if there is none.
  mutating func growByFragment() throws -> Bool {
    guard written < ends.count else { return false }
    written += 1
    try look(ends[written - 1], isClosed: false)
    return true
  }

  /// Ends the recording, and returns its last playlist.
  mutating func finish() throws -> String? {
    try look(bytes.count, isClosed: true)
    return try playlist(.grown)
  }

  private mutating func look(_ length: Int, isClosed: Bool) throws {
    let growth = try indexer.look(Prefix(bytes: bytes, length: UInt64(length)), isClosed: isClosed)
    guard let growth else { return }
    let isAdded = grown.add(growth)
    #expect(isAdded)
    fragmentCount += growth.fragments.count
  }

  /// Returns the playlist of what is there, or nil if there is no film yet.
  func playlist() throws -> String? {
    try playlist(.growing(segments: grown.wholeSegments, blocks: grown.wholeBlocks))
  }

  private func playlist(_ state: RecordingViews.State) throws -> String? {
    guard grown.length > 0 else { return nil }
    let views = RecordingViews(try SampleIndex(grown), grown, state)
    guard views.isFilm else { return nil }
    return String(
      decoding: try views.mediaPlaylist(from: UnixTimestamp(milliseconds: 1_795_255_200_000), prefix: ""),
      as: UTF8.self)
  }

  /// Returns the first init segment and all segments of the film.
  func film() throws -> Bytes {
    let index = try SampleIndex(grown)
    return try (0..<index.segmentCount).reduce(index.initializations[0].bytes) { film, number in
      film
        + (try FilmSegment.segment(number, of: index, grown)).slices.flatMap { slice -> Bytes in
          switch slice {
          case .literal(let literal): Bytes(literal)
          case .range(_, let range): Bytes(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
          }
        }
    }
  }
}
