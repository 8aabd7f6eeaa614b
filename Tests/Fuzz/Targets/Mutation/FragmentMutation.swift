/// Changes to fragments: the contents of `tfhd`, `tfdt` and `trun`, and the set of fragments (ISO/IEC 14496-12 §8.8).

enum FragmentMutation {
  private static func pick(_ file: EditableFile, _ name: String, _ random: inout SeededRandom) -> EditableBox? {
    BoxMutator.pick(file.all(name), &random)
  }

  /// The optional fields of a `tfhd` by their flags, with their lengths in bytes (ISO/IEC 14496-12 §8.8.7).
  private static let headerFields: [(flag: UInt32, width: Int)] = [(1, 8), (2, 4), (8, 4), (0x10, 4), (0x20, 4)]

  /// Adds, removes or changes a field.
  static func header(_ file: EditableFile, _ random: inout SeededRandom) {
    if random.chance(20) {
      guard let defaults = pick(file, "trex", &random), defaults.fields.count >= 24 else { return }
      let place = 4 + 4 * random.below(5)
      defaults.fields.set(random.edge(near: UInt64(defaults.fields.word(at: place))), at: place, bytes: 4)
      return
    }
    guard let header = pick(file, "tfhd", &random), header.fields.count >= 8 else { return }
    var flags = header.fields.word(at: 0) & 0xFF_FFFF
    if random.chance(20) {
      header.fields.set(UInt64(flags ^ (random.chance(50) ? 0x2_0000 : 0x1_0000)), at: 0, bytes: 4)
      return
    }
    if random.chance(15) {
      header.fields.set(random.chance(70) ? UInt64(1 + random.below(3)) : random.edge(), at: 4, bytes: 4)
      return
    }
    let chosen = headerFields[random.below(headerFields.count)]
    var place = 8
    for field in headerFields where field.flag < chosen.flag && flags & field.flag != 0 { place += field.width }
    guard place <= header.fields.count else { return }
    let isThere = flags & chosen.flag != 0
    if isThere, random.chance(50) {
      header.fields.set(
        random.edge(near: header.fields.number(at: place, bytes: chosen.width)), at: place, bytes: chosen.width)
      return
    }
    flags ^= chosen.flag
    if isThere {
      header.fields.removeSubrange(place..<min(header.fields.count, place + chosen.width))
    } else {
      var value: [UInt8] = []
      let small: UInt64 = chosen.flag == 2 ? 1 : UInt64(random.below(300))
      value.append(random.chance(50) ? small : random.edge(), bytes: chosen.width)
      header.fields.insert(contentsOf: value, at: place)
    }
    header.fields.set(UInt64(flags), at: 0, bytes: 4)
  }

  /// Changes or removes the time, or writes it in the other length (ISO/IEC 14496-12 §8.8.12).
  static func time(_ file: EditableFile, _ random: inout SeededRandom) {
    guard let track = pick(file, "traf", &random) else { return }
    guard random.chance(85) else {
      track.children.removeAll { $0.name == "tfdt" }
      return
    }
    let old = track.child("tfdt").map { $0.fields.number(at: 4, bytes: $0.fields.count >= 12 ? 8 : 4) } ?? 0
    let isLong = random.chance(50)
    let box = EditableBox("tfdt", .words(isLong ? 0x100_0000 : 0))
    box.fields.append(random.chance(50) ? random.edge(near: old) : UInt64(random.below(20_000)), bytes: isLong ? 8 : 4)
    if track.child("tfdt") == nil {
      track.children.insert(box, at: min(1, track.children.count))
    } else {
      track.put(box)
    }
  }

  /// The per-sample fields of a `trun` by their flags (ISO/IEC 14496-12 §8.8.8).
  private static let sampleFields: [UInt32] = [0x100, 0x200, 0x400, 0x800]

  /// Changes a run's fields per sample, its values or its number of samples. Its contents fit its flags.
  static func run(_ file: EditableFile, _ random: inout SeededRandom) {
    guard let run = pick(file, "trun", &random), run.fields.count >= 8 else { return }
    var flags = run.fields.word(at: 0)
    let start = 8 + (flags & 1 != 0 ? 4 : 0) + (flags & 4 != 0 ? 4 : 0)
    let present = sampleFields.filter { flags & $0 != 0 }
    guard start <= run.fields.count, run.fields.word(at: 4) <= 1_000 else { return }
    var records = (0..<Int(run.fields.word(at: 4))).map { index in
      present.indices.reduce(into: [UInt32: UInt32]()) {
        $0[present[$1]] = run.fields.word(at: start + 4 * (index * present.count + $1))
      }
    }
    var optional = Array(run.fields[8..<start])
    switch random.below(6) {
    case 0, 1:
      let flag = sampleFields[random.below(4)]
      flags ^= flag
      for index in records.indices { records[index][flag] = UInt32(random.below(60)) }
    case 2:
      guard !records.isEmpty, let flag = BoxMutator.pick(present, &random) else { return }
      let index = random.below(records.count)
      records[index][flag] = UInt32(truncatingIfNeeded: random.edge(near: UInt64(records[index][flag] ?? 0)))
    case 3:
      guard !records.isEmpty else { return }
      if random.chance(50) { records.removeLast() } else { records.append(records[random.below(records.count)]) }
    case 4:
      guard flags & 1 != 0 else { return }
      optional.set(random.edge(near: UInt64(optional.word(at: 0))), at: 0, bytes: 4)
    default:
      // The field first_sample_flags.
      let place = flags & 1 != 0 ? 4 : 0
      if flags & 4 != 0 { optional.removeSubrange(place...) } else { optional += [UInt8].words(0x200_0000) }
      flags ^= 4
    }
    var fields: [UInt8] = .words(flags, UInt32(records.count)) + optional
    for record in records {
      for flag in sampleFields where flags & flag != 0 { fields += [UInt8].words(record[flag] ?? 0) }
    }
    run.fields = fields
  }

  /// Repeats, reorders or removes fragments, or splits a track's run in two.
  static func fragments(_ file: inout EditableFile, _ random: inout SeededRandom) {
    let places = file.boxes.indices.filter { file.boxes[$0].name == "moof" }
    guard let place = BoxMutator.pick(places, &random) else { return }
    let end = file.boxes[(place + 1)...].firstIndex { $0.name == "moof" } ?? file.boxes.count
    switch random.below(4) {
    case 0: file.boxes += file.boxes[place..<end].map { $0.copy() }
    case 1: file.boxes.removeSubrange(place..<end)
    case 2:
      let fragment = Array(file.boxes[place..<end])
      file.boxes.removeSubrange(place..<end)
      file.boxes.insert(contentsOf: fragment, at: random.below(file.boxes.count + 1))
    default:
      guard let track = file.boxes[place].child("traf"),
        let index = track.children.firstIndex(where: { $0.name == "trun" })
      else { return }
      let copy = track.children[index].copy()
      // Without an offset the second run continues where the first one ends.
      if copy.fields.word(at: 0) & 1 == 1, copy.fields.count >= 12 {
        copy.fields.removeSubrange(8..<12)
        copy.fields[3] &= 0xFE
      }
      track.children.insert(copy, at: index + 1)
    }
  }
}
