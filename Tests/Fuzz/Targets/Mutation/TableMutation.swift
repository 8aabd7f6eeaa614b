/// Changes to a track's sample tables and edit list (ISO/IEC 14496-12 §8.5 to §8.7).

enum TableMutation {
  private static func pick<Element>(_ elements: [Element], _ random: inout SeededRandom) -> Element? {
    BoxMutator.pick(elements, &random)
  }

  /// Takes all bytes from a chunk, or gives a track without samples an empty chunk, and lets the chunk point anywhere.
  static func emptyChunk(_ file: EditableFile, _ random: inout SeededRandom) {
    guard let table = pick(file.all("stbl"), &random) else { return }
    // The number of samples that the table claims, but none beyond its end.
    let count = table.child("stsz").map { min(Int($0.fields.word(at: 8)), max(0, $0.fields.count - 12) / 4) } ?? 0
    if count == 0 {
      table.put(EditableBox("stts", .words(0, 1, 1, 512)))
      table.put(EditableBox("stsc", .words(0, 1, 1, 1, 1)))
      table.put(EditableBox("stsz", .words(0, 0, 1, 0)))
      table.children.removeAll { $0.name == "co64" || $0.name == "stco" }
      table.children.append(chunkOffsets(random.edge(), &random))
      return
    }
    guard let sizes = table.child("stsz"), let chunks = table.child("stsc"),
      let offsets = table.child("stco") ?? table.child("co64"), sizes.fields.word(at: 4) == 0
    else { return }
    let width = offsets.name == "stco" ? 4 : 8
    let chunkCount = (offsets.fields.count - 8) / width
    guard chunkCount > 0 else { return }
    let chosen = random.below(chunkCount)
    var first = 0
    for chunk in 0...chosen {
      let here = perChunk(chunk, chunks)
      if chunk == chosen {
        for sample in first..<max(first, min(count, first + here)) {
          sizes.fields.set(0, at: 12 + 4 * sample, bytes: 4)
        }
      }
      first += min(here, count)
    }
    let place = 8 + width * chosen
    offsets.fields.set(random.edge(near: offsets.fields.number(at: place, bytes: width)), at: place, bytes: width)
  }

  private static func chunkOffsets(_ offset: UInt64, _ random: inout SeededRandom) -> EditableBox {
    let isLong = random.chance(50)
    let box = EditableBox(isLong ? "co64" : "stco", .words(0, 1))
    box.fields.append(offset, bytes: isLong ? 8 : 4)
    return box
  }

  private static func perChunk(_ chunk: Int, _ table: EditableBox) -> Int {
    var found = 0
    for place in stride(from: 8, through: table.fields.count - 12, by: 12)
    where Int(table.fields.word(at: place)) <= chunk + 1 {
      found = Int(table.fields.word(at: place + 4))
    }
    return found
  }

  /// The offset of the count in the fields of each kind of table, and the offset of its entries.
  private static let places: [String: (count: Int, entries: Int)] = [
    "stts": (4, 8), "ctts": (4, 8), "stss": (4, 8), "stsc": (4, 8), "stco": (4, 8), "co64": (4, 8), "stsz": (8, 12),
    "stz2": (8, 12), "elst": (4, 8), "stsd": (4, 8), "dref": (4, 8), "trun": (4, 8), "saio": (4, 8), "sbgp": (8, 12),
    "sidx": (20, 24), "mehd": (4, 4), "trex": (4, 8),
  ]

  private static func table(_ file: EditableFile, _ random: inout SeededRandom) -> (
    box: EditableBox, place: (count: Int, entries: Int)
  )? {
    let tables = file.all.compactMap { box in places[box.name].map { (box: box, place: $0) } }
    return pick(tables, &random)
  }

  static func count(_ file: EditableFile, _ random: inout SeededRandom) {
    guard let (box, place) = table(file, &random) else { return }
    let count = random.edge(near: UInt64(box.fields.word(at: place.count)))
    box.fields.set(count, at: place.count, bytes: 4)
    // Entries are added, so that a larger count can be true.
    if random.chance(40), count < 64 {
      let wanted = place.entries + 12 * Int(count)
      while box.fields.count < wanted { box.fields.append(UInt8(random.below(3))) }
    }
  }

  static func entry(_ file: EditableFile, _ random: inout SeededRandom) {
    guard let (box, place) = table(file, &random), box.fields.count >= place.entries + 4 else { return }
    let width = box.name == "co64" ? 8 : 4
    let count = (box.fields.count - place.entries) / width
    guard count > 0 else { return }
    let position = place.entries + width * random.below(count)
    box.fields.set(
      random.edge(near: box.fields.number(at: position, bytes: width)), at: position, bytes: width)
  }

  /// Writes the same or nearly the same samples in another form.
  static func form(_ file: EditableFile, _ random: inout SeededRandom) {
    guard let table = pick(file.all("stbl"), &random) else { return }
    switch random.below(6) {
    case 0:
      guard let index = table.children.firstIndex(where: { $0.name == "stco" }) else { return }
      let old = table.children[index].fields
      var fields = Array(old.prefix(8))
      for place in stride(from: 8, through: old.count - 4, by: 4) {
        fields.append(UInt64(old.word(at: place)), bytes: 8)
      }
      table.children[index] = EditableBox("co64", fields)
    case 1:
      guard let sizes = table.child("stsz") else { return }
      sizes.fields.set(UInt64(random.below(40)), at: 4, bytes: 4)
    case 2:
      guard let index = table.children.firstIndex(where: { $0.name == "stsz" }) else { return }
      let old = table.children[index].fields
      let bits = [4, 8, 16][random.below(3)]
      var fields = [UInt8]([0, 0, 0, 0, 0, 0, 0, UInt8(bits)]) + old.dropFirst(8).prefix(4)
      for place in stride(from: 12, through: old.count - 4, by: bits == 4 ? 8 : 4) {
        fields.append(UInt64(old.word(at: place)), bytes: bits == 16 ? 2 : 1)
      }
      table.children[index] = EditableBox("stz2", fields)
    case 3:
      let count = UInt32(random.below(12))
      table.put(
        EditableBox("ctts", .words(0, 2, count, UInt32(random.below(9)), 30, UInt32(truncatingIfNeeded: random.edge())))
      )
    case 4:
      table.put(EditableBox("stss", .words(0, 2, UInt32(1 + random.below(3)), UInt32(3 + random.below(9)))))
    default:
      guard let times = table.child("stts"), times.fields.count >= 16 else { return }
      // One run of equal times becomes two.
      let count = times.fields.word(at: 8)
      guard count > 1 else { return }
      let first = UInt32(1 + random.below(Int(count - 1)))
      let delta = times.fields.word(at: 12)
      times.fields.replaceSubrange(8..<16, with: [UInt8].words(first, delta, count - first, delta))
      times.fields.set(UInt64(times.fields.word(at: 4) &+ 1), at: 4, bytes: 4)
    }
  }

  /// Writes another edit list (ISO/IEC 14496-12 §8.6.6).
  static func edits(_ file: EditableFile, _ random: inout SeededRandom) {
    guard let track = pick(file.all("trak"), &random) else { return }
    if random.chance(10) {
      track.children.removeAll { $0.name == "edts" }
      return
    }
    let isLong = random.chance(50)
    let width = isLong ? 8 : 4
    let count = random.below(4)
    var fields: [UInt8] = .words(isLong ? 0x100_0000 : 0, UInt32(count))
    for _ in 0..<count {
      fields.append(random.chance(30) ? random.edge() : UInt64(random.below(2_000)), bytes: width)
      fields.append(
        random.chance(30) ? .max : random.chance(30) ? random.edge() : UInt64(random.below(2_000)), bytes: width)
      fields += [UInt8].words(0x1_0000)
    }
    let edits = EditableBox("edts", [], children: [EditableBox("elst", fields)])
    if let index = track.children.firstIndex(where: { $0.name == "edts" }) {
      track.children[index] = edits
    } else {
      track.children.insert(edits, at: min(1, track.children.count))
    }
  }
}
