internal import FootageBase

/// A box within a `BoxBuffer`. Its positions are indices into the buffer's bytes.
struct Box: Hashable, Sendable {
  let type: FourCharacterCode
  let start: Int
  /// The size of the box's header in bytes: 8, or 16 with a 64-bit size.
  let headerSize: Int
  let end: Int

  var payload: Range<Int> { (start + headerSize)..<end }
  var range: Range<Int> { start..<end }
}

/// A box that was read completely, and the boxes in it.
struct BoxBuffer: Sendable {
  let bytes: [UInt8]
  /// The offset of the first of `bytes` in the file.
  let fileOffset: UInt64
  /// The outermost box. It fills `bytes`; if these are the beginning of the file, it may be only a part of them.
  let root: Box

  /// - Parameter root: the box as the top-level scan found it. Its bytes are `bytes`.
  init(_ bytes: [UInt8], of root: TopLevelBox) {
    self.bytes = bytes
    fileOffset = root.offset
    self.root = Box(type: root.type, start: 0, headerSize: min(root.headerSize, bytes.count), end: bytes.count)
  }

  /// - Parameters:
  ///   - beginning: the beginning of the file, at least up to the end of the box. It is not copied.
  ///   - root: the box as the top-level scan found it.
  init(beginning: [UInt8], upTo root: TopLevelBox) {
    bytes = beginning
    fileOffset = 0
    let start = min(Int(clamping: root.offset), beginning.count)
    let end = min(Int(clamping: root.end), beginning.count)
    self.root = Box(type: root.type, start: start, headerSize: min(root.headerSize, end - start), end: end)
  }

  func place(of box: Box, in parent: String) -> BoxPlace {
    BoxPlace(box.type, in: parent, at: fileOffset + UInt64(box.start))
  }

  /// Returns the boxes that fill `range`, in order (ISO/IEC 14496-12 §4.2).
  ///
  /// Up to seven bytes after the last box are ignored, because QuickTime ends some lists with a 32-bit zero.
  ///
  /// - Parameter path: the path of the parent, for errors.
  /// - Throws: `overrun`, `malformed`, `tooMuch`.
  func boxes(in range: Range<Int>, of path: String) throws(MP4Error) -> [Box] {
    var boxes: [Box] = []
    try forEachBox(in: range, of: path) { (box) throws(MP4Error) in
      guard boxes.count < Limits.children else {
        throw .tooMuch(place(of: box, in: path), of: "boxes beside it", limit: UInt64(Limits.children))
      }
      boxes.append(box)
    }
    return boxes
  }

  /// Calls `body` for each box in `range`. Unlike `boxes`, it creates no array, and accepts any number of boxes.
  func forEachBox(
    in range: Range<Int>, of path: String, _ body: (Box) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    let raw = bytes.borrowedSpan
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      let parentEnd = fileOffset + UInt64(range.upperBound)
      func place() -> BoxPlace {
        BoxPlace(
          "\(path)/\(FourCharacterCode(bytes.borrowedSpan.uint32(at: position + 4)))", at: fileOffset + UInt64(position)
        )
      }
      let available = UInt64(range.upperBound - position)
      guard let header = BoxHeader(raw, at: position, available: available) else {
        throw .overrun(place(), claims: 16, parentEnd: parentEnd)
      }
      let size = header.boxSize
      // Zeros end a QuickTime list. A size of 0 that means "to the end" is valid only for top-level boxes.
      if size == 0, bytes[position..<range.upperBound].allSatisfy({ $0 == 0 }) { return }
      guard size >= UInt64(header.length) else { throw .malformed(place(), "claims to be \(size) bytes long") }
      guard size <= available else { throw .overrun(place(), claims: size, parentEnd: parentEnd) }
      let end = position + Int(size)
      try body(Box(type: header.type, start: position, headerSize: header.length, end: end))
      position = end
    }
  }

  /// Returns the children of `box`, after checking that no type in `single` occurs twice.
  ///
  /// - Throws: `duplicate` if a type in `single` occurs twice, and the errors of `boxes`.
  func children(
    of box: Box, at path: String, single: [FourCharacterCode]
  ) throws(MP4Error) -> BoxChildren {
    let all = try boxes(in: box.payload, of: path)
    // `single` is short, and its first repeated type ends the loop, so `seen` stays short.
    var seen: [FourCharacterCode] = []
    for child in all where single.contains(child.type) {
      guard !seen.contains(child.type) else { throw .duplicate(place(of: child, in: path)) }
      seen.append(child.type)
    }
    return BoxChildren(all: all, place: BoxPlace(path, at: fileOffset + UInt64(box.start)))
  }

  /// Returns a reader of the fields of a box, from the start of its payload.
  func fields(of box: Box, in parent: String) -> FieldReader {
    FieldReader(
      bytes: bytes, range: box.payload, parent: parent, type: box.type, fileOffset: fileOffset + UInt64(box.start))
  }
}

/// The children of a box.
struct BoxChildren {
  let all: [Box]
  let place: BoxPlace

  subscript(_ type: FourCharacterCode) -> Box? { all.first { $0.type == type } }

  /// - Throws: `missing`.
  func required(_ type: FourCharacterCode) throws(MP4Error) -> Box {
    guard let box = self[type] else { throw .missing(type, in: place) }
    return box
  }
}
