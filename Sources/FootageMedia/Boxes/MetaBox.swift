internal import FootageBase

/// Checks for items of a `meta` box that are stored at absolute positions in the file.
enum MetaBox {
  /// Rejects `iloc` items with construction method 0 (ISO/IEC 14496-12 §8.11.3): they have file offsets, which would be
  /// wrong in a new layout.
  ///
  /// - Throws: `absoluteOffsets` if one of the boxes is a `meta` with such items.
  static func refuseFileOffsets(among boxes: [Box], of buffer: BoxBuffer, at path: String) throws(MP4Error) {
    for box in boxes where box.type == "meta" {
      if try hasFileOffsets(box, in: buffer, at: path) {
        throw .absoluteOffsets(BoxPlace(path + "/meta/iloc", at: buffer.fileOffset + UInt64(box.start)))
      }
    }
  }

  static func hasFileOffsets(_ box: Box, in buffer: BoxBuffer, at path: String) throws(MP4Error) -> Bool {
    // QuickTime's `meta` has no version and flags, so the type of its first child comes four bytes earlier.
    let start = box.payload.lowerBound
    let isQuickTime =
      box.payload.count >= 8
      && buffer.bytes.borrowedSpan.uint32(at: start + 4) == ("hdlr" as FourCharacterCode).rawValue
    let content = isQuickTime ? box.payload : min(start + 4, box.end)..<box.end
    for child in try buffer.boxes(in: content, of: path + "/meta") where child.type == "iloc" {
      if try hasFileOffsets(buffer.fields(of: child, in: path + "/meta")) { return true }
    }
    return false
  }

  private static func hasFileOffsets(_ fields: FieldReader) throws(MP4Error) -> Bool {
    var fields = fields
    let version = try fields.versionAndFlags().version
    guard version <= 2 else { return true }
    let sizes = try fields.uint16()
    let offsetSize = Int(sizes >> 12)
    let lengthSize = Int(sizes >> 8 & 15)
    let baseSize = Int(sizes >> 4 & 15)
    let indexSize = version > 0 ? Int(sizes & 15) : 0
    let itemCount = version == 2 ? try fields.uint32() : UInt32(try fields.uint16())
    for _ in 0..<itemCount {
      try fields.skip(version == 2 ? 4 : 2)
      let method = version > 0 ? try fields.uint16() & 15 : 0
      try fields.skip(2 + baseSize)
      let extents = Int(try fields.uint16())
      if method == 0, extents > 0 { return true }
      try fields.skip(extents * (offsetSize + lengthSize + indexSize))
    }
    return false
  }
}
