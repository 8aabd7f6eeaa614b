/// A box that can be changed, with its contents. Its size is calculated when it is written.

final class EditableBox {
  var type: [UInt8]
  /// True if its size is written with 64 bits.
  var isLong: Bool
  /// The wrong size that is written instead of the right one.
  var claimedSize: UInt64?
  /// All bytes of a box without children, or else the bytes before the first child.
  var fields: [UInt8]
  var children: [EditableBox]
  /// The bytes after the last child: too few for a box, or not a valid one.
  var rest: [UInt8]
  /// The range of the box in the file that it was read from; nil for a new box.
  let origin: Range<Int>?

  init(
    type: [UInt8], isLong: Bool = false, fields: [UInt8] = [], children: [EditableBox] = [], rest: [UInt8] = [],
    origin: Range<Int>? = nil
  ) {
    self.type = type
    self.isLong = isLong
    self.fields = fields
    self.children = children
    self.rest = rest
    self.origin = origin
  }

  convenience init(_ type: String, _ fields: [UInt8], children: [EditableBox] = []) {
    self.init(type: Array(type.utf8), fields: fields, children: children)
  }

  /// The type as text. Types that are not text become something else.
  var name: String { String(decoding: type, as: UTF8.self) }

  /// The boxes that contain boxes, and the number of bytes before the first one.
  static let containers: [String: Int] = [
    "moov": 0, "trak": 0, "edts": 0, "mdia": 0, "minf": 0, "dinf": 0, "stbl": 0, "mvex": 0, "moof": 0, "traf": 0,
    "mfra": 0, "udta": 0, "meta": 4, "stsd": 8, "dref": 8, "avc1": 78, "avc3": 78, "hvc1": 78, "av01": 78, "mp4a": 28,
  ]

  /// Returns the boxes in these bytes, and the bytes left after the last one.
  static func read(_ bytes: [UInt8], _ range: Range<Int>, depth: Int = 0) -> (boxes: [EditableBox], rest: [UInt8]) {
    var boxes: [EditableBox] = []
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      var size = bytes.number(at: position, bytes: 4)
      var header = 8
      if size == 1, range.upperBound - position >= 16 {
        size = bytes.number(at: position + 8, bytes: 8)
        header = 16
      }
      let isEndless = size == 0 && depth == 0
      if isEndless { size = UInt64(range.upperBound - position) }
      guard size >= UInt64(header), size <= UInt64(range.upperBound - position) else { break }
      let end = position + Int(size)
      let box = EditableBox(
        type: Array(bytes[(position + 4)..<(position + 8)]), isLong: header == 16, origin: position..<end)
      if isEndless { box.claimedSize = 0 }
      let skipped = containers[box.name].map { position + header + $0 }
      if let skipped, skipped <= end, depth < 12 {
        box.fields = Array(bytes[(position + header)..<skipped])
        (box.children, box.rest) = read(bytes, skipped..<end, depth: depth + 1)
      } else {
        box.fields = Array(bytes[(position + header)..<end])
      }
      boxes.append(box)
      position = end
    }
    return (boxes, Array(bytes[position..<range.upperBound]))
  }

  /// The size in bytes, with the header.
  var size: Int { (isLong ? 16 : 8) + fields.count + children.reduce(0) { $0 + $1.size } + rest.count }

  func write(to bytes: inout [UInt8]) {
    let size = claimedSize ?? UInt64(size)
    bytes.append(isLong ? 1 : size, bytes: 4)
    bytes += type
    if isLong { bytes.append(size, bytes: 8) }
    bytes += fields
    for child in children { child.write(to: &bytes) }
    bytes += rest
  }

  /// Returns a copy with copies of its contents.
  func copy() -> EditableBox {
    let copy = EditableBox(
      type: type, isLong: isLong, fields: fields, children: children.map { $0.copy() }, rest: rest, origin: origin)
    copy.claimedSize = claimedSize
    return copy
  }

  /// The box itself and all boxes below it.
  var all: [EditableBox] { [self] + children.flatMap(\.all) }

  func child(_ name: String) -> EditableBox? { children.first { $0.name == name } }

  /// Replaces the child of this type, or adds one.
  func put(_ child: EditableBox) {
    if let index = children.firstIndex(where: { $0.type == child.type }) {
      children[index] = child
    } else {
      children.append(child)
    }
  }
}
