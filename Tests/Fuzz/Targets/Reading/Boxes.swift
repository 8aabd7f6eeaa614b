/// A plain search for boxes.

struct BoxPlaces {
  struct Place {
    let type: [UInt8]
    let start: Int
    /// The offset of the byte after the header.
    let content: Int
    let end: Int

    func isA(_ name: String) -> Bool { type == Array(name.utf8) }
  }

  let bytes: [UInt8]

  /// Returns the boxes within `range`, as far as they can be read.
  ///
  /// - Parameter isTop: true for the file itself, where a size of 0 means "to the end", and a box without a printable
  ///   type is junk.
  func boxes(in range: Range<Int>, isTop: Bool = false) -> [Place] {
    var found: [Place] = []
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      var size = bytes.number(at: position, bytes: 4)
      var header = 8
      if size == 1 {
        guard range.upperBound - position >= 16 else { break }
        size = bytes.number(at: position + 8, bytes: 8)
        header = 16
      }
      if isTop, size == 0 { size = UInt64(range.upperBound - position) }
      guard size >= UInt64(header), size <= UInt64(range.upperBound - position) else { break }
      let type = bytes[(position + 4)..<(position + 8)]
      if isTop, !type.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0xA9 }) { break }
      let end = position + Int(size)
      found.append(
        Place(
          type: Array(bytes[(position + 4)..<(position + 8)]), start: position, content: position + header, end: end))
      position = end
    }
    return found
  }

  func children(_ name: String, of parent: Place) -> [Place] {
    boxes(in: parent.content..<parent.end).filter { $0.isA(name) }
  }

  func child(_ path: String..., of parent: Place) -> Place? {
    var place: Place? = parent
    for name in path { place = place.flatMap { children(name, of: $0).first } }
    return place
  }

  func word(_ place: Place, at offset: Int) -> UInt32 {
    place.content + offset + 4 <= place.end ? bytes.word(at: place.content + offset) : 0
  }

  func number(_ place: Place, at offset: Int, bytes width: Int) -> UInt64 {
    place.content + offset + width <= place.end ? bytes.number(at: place.content + offset, bytes: width) : 0
  }

  /// Returns the number of a table's entries of `width` bytes from `offset` on: as many as it claims, but none beyond
  /// its end.
  func count(_ place: Place, said offset: Int, from start: Int, width: Int) -> Int {
    min(Int(word(place, at: offset)), max(0, place.end - place.content - start) / width)
  }
}
