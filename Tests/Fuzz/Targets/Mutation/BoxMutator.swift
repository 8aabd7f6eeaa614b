/// A mutator that changes a recording along its structure: the changes have a meaning, and the rest stays well-formed.

package enum BoxMutator {
  /// Makes one to four changes.
  ///
  /// - Parameter limit: the largest size of the result in bytes. If the result would be larger, it is the unchanged
  ///   input.
  package static func mutate(_ bytes: [UInt8], limit: Int, random: inout SeededRandom) -> [UInt8] {
    var file = EditableFile(bytes)
    guard !file.boxes.isEmpty else { return bytes }
    for _ in 0...random.below(4) { change(&file, &random) }
    // If offsets did not follow, most results would be refused for that reason alone.
    let result = file.written(keepingOffsets: random.chance(90))
    return result.count <= limit ? result : bytes
  }

  /// Returns the same bytes, parsed into the tree and written from it.
  package static func rewritten(_ bytes: [UInt8]) -> [UInt8] { EditableFile(bytes).written(keepingOffsets: true) }

  private static func change(_ file: inout EditableFile, _ random: inout SeededRandom) {
    switch random.below(20) {
    case 0, 1: TableMutation.emptyChunk(file, &random)
    case 2: TableMutation.count(file, &random)
    case 3, 4: TableMutation.entry(file, &random)
    case 5: TableMutation.form(file, &random)
    case 6: field(file, &random)
    case 7: versionOrFlags(file, &random)
    case 8: size(file, &random)
    case 9, 10: TableMutation.edits(file, &random)
    case 11, 12: FragmentMutation.header(file, &random)
    case 13: FragmentMutation.time(file, &random)
    case 14, 15: FragmentMutation.run(file, &random)
    case 16: FragmentMutation.fragments(&file, &random)
    default: arrange(&file, &random)
    }
  }

  static func pick<Element>(_ elements: [Element], _ random: inout SeededRandom) -> Element? {
    elements.isEmpty ? nil : elements[random.below(elements.count)]
  }

  /// Changes a number somewhere in a box.
  private static func field(_ file: EditableFile, _ random: inout SeededRandom) {
    guard let box = pick(file.all.filter { !$0.fields.isEmpty && $0.name != "mdat" }, &random) else { return }
    let width = [1, 2, 4, 8][random.below(4)]
    guard box.fields.count >= width else { return }
    let place = random.below((box.fields.count - width) / width + 1) * width
    box.fields.set(random.edge(near: box.fields.number(at: place, bytes: width)), at: place, bytes: width)
  }

  private static func versionOrFlags(_ file: EditableFile, _ random: inout SeededRandom) {
    let full: Set<String> = [
      "mvhd", "tkhd", "mdhd", "hdlr", "vmhd", "smhd", "dref", "elst", "stsd", "stts", "ctts", "stss", "stsc", "stsz",
      "stz2", "stco", "co64", "saio", "saiz", "trex", "mehd", "mfhd", "tfhd", "tfdt", "trun", "sidx", "meta",
    ]
    guard let box = pick(file.all.filter { full.contains($0.name) && $0.fields.count >= 4 }, &random) else { return }
    if random.chance(50) {
      box.fields[0] = [0, 1, 2, 255][random.below(4)]
    } else {
      let bit = random.below(24)
      box.fields[3 - bit / 8] ^= 1 << UInt8(bit % 8)
    }
  }

  private static func size(_ file: EditableFile, _ random: inout SeededRandom) {
    guard let box = pick(file.all, &random) else { return }
    if random.chance(50) {
      box.isLong.toggle()
    } else {
      box.claimedSize = random.chance(30) ? 0 : random.edge(near: UInt64(box.size))
    }
  }

  /// Adds, removes or exchanges boxes.
  private static func arrange(_ file: inout EditableFile, _ random: inout SeededRandom) {
    let parents = file.all.filter { !$0.children.isEmpty }
    let parent = random.chance(40) ? nil : pick(parents, &random)
    var siblings = parent?.children ?? file.boxes
    guard !siblings.isEmpty else { return }
    let index = random.below(siblings.count)
    switch random.below(8) {
    case 0: siblings.insert(siblings[index].copy(), at: random.below(siblings.count + 1))
    case 1: siblings.remove(at: index)
    case 2: siblings.swapAt(index, random.below(siblings.count))
    case 3:
      // Moves the box into another box.
      guard let other = pick(parents, &random), !siblings[index].all.contains(where: { $0 === other }) else { return }
      let box = siblings.remove(at: index)
      if other === parent { siblings.append(box) } else { other.children.append(box) }
    case 4:
      let names = ["free", "moof", "traf", "trak", "mdia", "stbl", "udta", "meta", "edts", "mdat"]
      siblings[index] = EditableBox(names[random.below(names.count)], [], children: [siblings[index]])
    case 5:
      let names = [
        "free", "skip", "mdat", "ftyp", "uuid", "sidx", "meta", "saio", "stss", "ctts", "stz2", "co64", "tfdt", "trun",
        "trex", "elst", "hdlr", "udta",
      ]
      let fields = [UInt8](repeating: 0, count: random.below(40))
      siblings.insert(
        EditableBox(names[random.below(names.count)], fields), at: random.below(siblings.count + 1))
    case 6:
      guard let other = pick(file.all, &random) else { return }
      siblings[index].type = other.type
    default:
      guard !siblings[index].children.isEmpty else { return }
      // Replaces the box with its children.
      siblings.replaceSubrange(index...index, with: siblings[index].children)
    }
    if let parent { parent.children = siblings } else { file.boxes = siblings }
  }
}
