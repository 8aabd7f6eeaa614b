internal import FootageBase

extension SampleIndex {
  /// The part of an index before its rows.
  struct Header: Hashable, Sendable {
    var segmentCount = 0
    var blockCount = 0
    var payloadLength: UInt64 = 0
    var fileLength: UInt64 = 0
    var end: Int64 = 0
    var isFilm = false
    var isQuickTime = false
    var shift: UInt32 = 0
    var leading: IndexedTrack
    var sound: IndexedTrack?
    var initializations: [Initialization] = []
    var places = ServedPlaces()
    var segmentsOffset: UInt64 = 0
    var blocksOffset: UInt64 = 0
    var payloadOffset: UInt64 = 0
  }
}

extension SampleIndex.Header {
  init(leading: IndexedTrack, sound: IndexedTrack?) {
    self.leading = leading
    self.sound = sound
  }

  /// Returns all bytes of the header. The offsets of rows and blocks are computed from their counts.
  func bytes() -> [UInt8] {
    var header = self
    // The header is encoded twice, because its length does not depend on the values of these fields.
    let length = header.encoded(length: 0).count
    header.segmentsOffset = UInt64(length)
    header.blocksOffset = header.segmentsOffset + UInt64(segmentCount * SegmentRow.size)
    header.payloadOffset = header.blocksOffset + UInt64(blockCount * BlockRow.size)
    return header.encoded(length: UInt32(clamping: length))
  }

  private func encoded(length: UInt32) -> [UInt8] {
    var bytes = SampleIndex.magic
    bytes.append(bigEndian: UInt32(SampleIndex.formatVersion))
    bytes.append(bigEndian: length)
    bytes.append(bigEndian: segmentsOffset)
    bytes.append(bigEndian: UInt32(clamping: segmentCount))
    bytes.append(bigEndian: blocksOffset)
    bytes.append(bigEndian: UInt32(clamping: blockCount))
    bytes.append(bigEndian: payloadOffset)
    bytes.append(bigEndian: payloadLength)
    bytes.append(bigEndian: fileLength)
    bytes.append(bigEndian: UInt64(bitPattern: end))
    bytes.append(bigEndian: UInt32((isFilm ? 1 : 0) | (isQuickTime ? 2 : 0)))
    bytes.append(bigEndian: shift)
    bytes.append(bigEndian: leading.movieTimescale)
    leading.append(to: &bytes)
    if let sound { sound.append(to: &bytes) } else { bytes.append(bigEndian: UInt32(0)) }
    bytes.append(bigEndian: UInt16(clamping: initializations.count))
    for initialization in initializations {
      for part in [initialization.bytes, initialization.leadingAlone] {
        bytes.append(bigEndian: UInt32(clamping: part.count))
        bytes.append(contentsOf: part)
      }
    }
    places.append(to: &bytes)
    return bytes
  }

  /// - Parameters:
  ///   - bytes: the whole header, which other bytes may follow.
  ///   - length: the length of the header, at most that of `bytes`.
  /// - Returns: nil if the header contradicts itself.
  init?(_ bytes: [UInt8], length: Int) {
    var fields = HeaderFields(bytes: bytes, end: length, position: 16)
    guard let segmentsOffset = fields.uint64(), let segmentCount = fields.uint32(),
      let blocksOffset = fields.uint64(), let blockCount = fields.uint32(),
      let payloadOffset = fields.uint64(), let payloadLength = fields.uint64(),
      let fileLength = fields.uint64(), fileLength <= UInt64(Int64.max),
      let end = fields.int64(), (-Limits.ticks...Limits.ticks).contains(end),
      let flags = fields.uint32(), let shift = fields.uint32(), shift <= Self.longestShift,
      let movieTimescale = fields.uint32(), movieTimescale > 0,
      let leading = IndexedTrack(&fields, movieTimescale: movieTimescale)
    else { return nil }
    let sound: IndexedTrack?
    if fields.peek() == 0 {
      _ = fields.uint32()
      sound = nil
    } else {
      guard let track = IndexedTrack(&fields, movieTimescale: movieTimescale) else { return nil }
      sound = track
    }
    guard let count = fields.uint16(), (1...Limits.sampleEntries).contains(Int(count)) else { return nil }
    var initializations: [SampleIndex.Initialization] = []
    for _ in 0..<count {
      guard let all = fields.data(), let alone = fields.data() else { return nil }
      initializations.append(SampleIndex.Initialization(bytes: all, leadingAlone: alone))
    }
    guard let placeCount = fields.uint32(), Int(placeCount) <= ServedPlaces.limit else { return nil }
    var places: [ServedPlaces.Place] = []
    for _ in 0..<placeCount {
      guard let served = fields.uint64(), let file = fields.uint64(), let length = fields.uint64() else { return nil }
      places.append(ServedPlaces.Place(served: served, file: file, length: length))
    }
    guard fields.isAtEnd, let places = ServedPlaces(places, fileLength: fileLength) else { return nil }
    self.init(leading: leading, sound: sound)
    self.segmentsOffset = segmentsOffset
    self.segmentCount = Int(segmentCount)
    self.blocksOffset = blocksOffset
    self.blockCount = Int(blockCount)
    self.payloadOffset = payloadOffset
    self.payloadLength = payloadLength
    self.fileLength = fileLength
    self.end = end
    isFilm = flags & 1 != 0
    isQuickTime = flags & 2 != 0
    self.shift = shift
    self.initializations = initializations
    self.places = places
  }

  /// The largest shift, in seconds. A recording has no film if its tracks begin with a longer part that the edit list
  /// hides.
  static let longestShift: UInt32 = 1 << 20
}

/// A reader of a header's fields. It never reads beyond the header's end.
private struct HeaderFields {
  let bytes: [UInt8]
  let end: Int
  var position: Int

  var isAtEnd: Bool { position == end }

  private mutating func take(_ count: Int) -> Int? {
    guard position <= end, count <= end - position else { return nil }
    defer { position += count }
    return position
  }

  func peek() -> UInt32? { end - position >= 4 ? bytes.borrowedSpan.uint32(at: position) : nil }
  mutating func uint16() -> UInt16? { take(2).map { bytes.borrowedSpan.uint16(at: $0) } }
  mutating func uint32() -> UInt32? { take(4).map { bytes.borrowedSpan.uint32(at: $0) } }
  mutating func uint64() -> UInt64? { take(8).map { bytes.borrowedSpan.uint64(at: $0) } }
  mutating func int64() -> Int64? { uint64().map { Int64(bitPattern: $0) } }

  /// Reads bytes that follow their number.
  mutating func data() -> ArraySlice<UInt8>? {
    guard let count = uint32(), let start = take(Int(count)) else { return nil }
    return bytes[start..<(start + Int(count))]
  }
}

extension IndexedTrack {
  fileprivate init?(_ fields: inout HeaderFields, movieTimescale: UInt32) {
    guard let id = fields.uint32(), id > 0, let handler = fields.uint32(), let timescale = fields.uint32(),
      timescale > 0, let origin = fields.int64(), (-Limits.ticks...Limits.ticks).contains(origin),
      let least = fields.uint32().map({ Int32(bitPattern: $0) }), least <= 0,
      let count = fields.uint32(), count <= UInt32(Limits.edits)
    else { return nil }
    var edits: [EditList.Edit] = []
    for _ in 0..<count {
      guard let duration = fields.uint64(), duration <= UInt64(Limits.ticks), let time = fields.int64(),
        (-1...Limits.ticks).contains(time)
      else { return nil }
      edits.append(EditList.Edit(duration: duration, mediaTime: time))
    }
    self.init(
      id: id, handler: FourCharacterCode(handler), timing: TrackTiming(timescale: timescale, origin: origin),
      leastOffset: least, edits: EditList(edits: edits), movieTimescale: movieTimescale)
  }
}
