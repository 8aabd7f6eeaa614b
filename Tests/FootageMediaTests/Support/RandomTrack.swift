import TestSupport

/// Random sample tables, ordinary and odd ones.
struct RandomTrack {
  let sizes: [Int]
  let deltas: [Int]
  let offsets: [Int]?
  /// The sync sample numbers from 1, in any order; nil for no `stss`.
  let sync: [Int]?
  /// The number of samples in each chunk.
  let chunks: [Int]
  let gap: Int
  let isWide: Bool
  /// The bits per size: 4, 8 or 16 for `stz2`; 32 for `stsz`; 0 for one size for all.
  let sizeBits: Int

  init(using random: inout SeededGenerator) {
    func lot(_ range: ClosedRange<Int>, _ random: inout SeededGenerator) -> Int { .random(in: range, using: &random) }
    let count = lot(1...700, &random)
    let sizeBits = [0, 4, 8, 16, 32].randomElement(using: &random) ?? 32
    self.sizeBits = sizeBits
    let largest = [0: 9, 4: 15, 8: 255, 16: 300, 32: 300][sizeBits] ?? 300
    let common = lot(0...largest, &random)
    sizes = (0..<count).map { _ in sizeBits == 0 ? max(1, common) : lot(0...largest, &random) }
    let isRegular = Bool.random(using: &random)
    var left = 0
    var delta = 100
    deltas = (0..<count).map { _ in
      if left == 0 {
        left = lot(1...(isRegular ? 300 : 3), &random)
        delta = lot(0...5, &random) == 0 ? 0 : lot(1...200, &random)
      }
      left -= 1
      return delta
    }
    switch lot(0...3, &random) {
    case 0: offsets = nil
    case 1:
      // Pictures before which two others are shown.
      offsets = (0..<count).map { [200, 300, 0, 0][$0 % 4] }
    case 2:
      var offset = 0
      var left = 0
      offsets = (0..<count).map { _ in
        if left == 0 {
          left = lot(1...200, &random)
          offset = lot(-30_000...30_000, &random)
        }
        left -= 1
        return offset
      }
    default: offsets = (0..<count).map { _ in lot(-2_000...2_000, &random) }
    }
    switch lot(0...4, &random) {
    case 0: sync = nil
    case 1: sync = []
    case 2: sync = (0..<lot(1...40, &random)).map { _ in lot(0...(count + 3), &random) }
    default:
      let distance = lot(1...60, &random)
      sync = Array(stride(from: 1, through: count, by: distance))
    }
    var chunks: [Int] = []
    let longest = [1, 3, 200].randomElement(using: &random) ?? 1
    while chunks.reduce(0, +) < count { chunks.append(lot(1...longest, &random)) }
    self.chunks = chunks
    gap = lot(0...7, &random)
    isWide = Bool.random(using: &random)
  }

  private static func runs(_ values: [Int]) -> [Int] {
    var entries: [Int] = []
    for value in values {
      if entries.last == value { entries[entries.count - 2] += 1 } else { entries += [1, value] }
    }
    return entries
  }

  private func tables(_ mediaStart: Int) -> Bytes {
    var offsets: [Int] = []
    var position = mediaStart
    var sample = 0
    var entries: [Int] = []
    for (index, chunk) in chunks.enumerated() {
      offsets.append(position)
      if entries.isEmpty || entries[entries.count - 2] != chunk { entries += [index + 1, chunk, 1] }
      let count = min(chunk, sizes.count - sample)
      position += sizes[sample..<(sample + count)].reduce(0, +) + gap
      sample += count
    }
    var sizeTable = fullBox("stsz", be32(0), be32(sizes.count), sizes.flatMap(be32))
    switch sizeBits {
    case 0: sizeTable = fullBox("stsz", be32(sizes[0]), be32(sizes.count))
    case 4:
      let pairs = stride(from: 0, to: sizes.count, by: 2).map { index in
        UInt8(sizes[index] << 4 | (index + 1 < sizes.count ? sizes[index + 1] : 0))
      }
      sizeTable = fullBox("stz2", be32(4), be32(sizes.count), pairs)
    case 8: sizeTable = fullBox("stz2", be32(8), be32(sizes.count), sizes.map { UInt8($0) })
    case 16: sizeTable = fullBox("stz2", be32(16), be32(sizes.count), sizes.flatMap(be16))
    default: break
    }
    return table("stts", columns: 2, Self.runs(deltas))
      + (self.offsets.map { table("ctts", version: 1, columns: 2, Self.runs($0)) } ?? [])
      + (sync.map { table("stss", $0) } ?? []) + table("stsc", columns: 3, entries) + sizeTable
      + (isWide ? fullBox("co64", be32(offsets.count), offsets.flatMap(be64)) : table("stco", offsets))
  }

  /// A whole file, `moov` first.
  var file: Bytes {
    func head(_ mediaStart: Int) -> Bytes {
      testFileType + movie([TestTrack(tables: tables(mediaStart))])
    }
    let start = head(0).count + 8
    return head(start) + box("mdat", zeros(sizes.reduce(0, +) + gap * chunks.count))
  }
}
