/// A file as a tree of boxes, which can be changed and written again.

struct EditableFile {
  var boxes: [EditableBox]
  var rest: [UInt8]

  init(_ bytes: [UInt8]) {
    (boxes, rest) = EditableBox.read(bytes, 0..<bytes.count)
  }

  /// All boxes, from the top down.
  var all: [EditableBox] { boxes.flatMap(\.all) }

  /// Returns all boxes of this type.
  func all(_ name: String) -> [EditableBox] { all.filter { $0.name == name } }

  /// Returns the bytes of the file.
  ///
  /// - Parameter keepingOffsets: true to adjust offsets, so that they still point to the same bytes.
  func written(keepingOffsets: Bool) -> [UInt8] {
    if keepingOffsets { moveOffsets() }
    var bytes: [UInt8] = []
    for box in boxes { box.write(to: &bytes) }
    return bytes + rest
  }

  /// Adjusts chunk offsets and the data offsets of runs by the distance that their target's top-level box has moved.
  private func moveOffsets() {
    var moves: [(origin: Range<Int>, by: Int)] = []
    var starts: [ObjectIdentifier: Int] = [:]
    var position = 0
    for box in boxes {
      starts[ObjectIdentifier(box)] = position
      // The header may have changed its length, so the contents are located from the end of the box.
      if let origin = box.origin, !moves.contains(where: { $0.origin == origin }) {
        moves.append((origin, position + box.size - origin.upperBound))
      }
      position += box.size
    }
    func moved(_ offset: Int) -> Int {
      guard let move = moves.first(where: { $0.origin.contains(offset) }) else { return offset }
      return offset + move.by
    }
    for box in all where box.name == "stco" || box.name == "co64" {
      let width = box.name == "stco" ? 4 : 8
      for place in stride(from: 8, to: box.fields.count, by: width) {
        guard let offset = Int(exactly: box.fields.number(at: place, bytes: width)) else { continue }
        let target = moved(offset)
        if target >= 0 { box.fields.set(UInt64(target), at: place, bytes: width) }
      }
    }
    for fragment in boxes where fragment.name == "moof" {
      guard let start = starts[ObjectIdentifier(fragment)], let origin = fragment.origin else { continue }
      for track in fragment.children where track.name == "traf" {
        var base = (before: origin.lowerBound, after: start)
        if let header = track.child("tfhd"), header.fields.word(at: 0) & 1 == 1 {
          guard let offset = Int(exactly: header.fields.number(at: 8, bytes: 8)) else { continue }
          base = (offset, moved(offset))
          if base.after >= 0 { header.fields.set(UInt64(base.after), at: 8, bytes: 8) }
        }
        for run in track.children where run.name == "trun" && run.fields.word(at: 0) & 1 == 1 {
          let offset = Int(Int32(bitPattern: run.fields.word(at: 8)))
          let (target, overflow) = base.before.addingReportingOverflow(offset)
          guard !overflow else { continue }
          let (relative, overflowToo) = moved(target).subtractingReportingOverflow(base.after)
          guard !overflowToo else { continue }
          run.fields.set(UInt64(truncatingIfNeeded: relative), at: 8, bytes: 4)
        }
      }
    }
  }
}
