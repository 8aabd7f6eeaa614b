/// A demuxer for tests: slow, plain, and independent of the code under test.

import Foundation

struct Demuxed: Equatable {
  struct Sample: Equatable {
    let dts: Int
    let pts: Int
    let isSync: Bool
    let offset: Int
    let data: ArraySlice<UInt8>

    static func == (left: Sample, right: Sample) -> Bool {
      left.dts == right.dts && left.pts == right.pts && left.isSync == right.isSync
        && left.data.withUnsafeBytes { left in
          right.data.withUnsafeBytes { right in
            guard let first = left.baseAddress, let second = right.baseAddress else { return left.count == right.count }
            return left.count == right.count && memcmp(first, second, left.count) == 0
          }
        }
    }
  }

  struct Track: Equatable {
    let id: Int
    let handler: String
    let samples: [Sample]
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  let tracks: [Track]

  /// A box as (type, start, payload start, end).
  struct Found { let type: String; let start, content, end: Int }

  static func boxes(_ bytes: Bytes, _ range: Range<Int>) -> [Found] {
    var found: [Found] = []
    var position = range.lowerBound
    while position + 8 <= range.upperBound {
      var size = number(bytes, position, 4)
      var header = 8
      if size == 1, position + 16 <= range.upperBound {
        size = number(bytes, position + 8, 8)
        header = 16
      }
      if size == 0 { size = range.upperBound - position }
      guard size >= header, size <= range.upperBound - position else { break }
      let type = String(decoding: bytes[(position + 4)..<(position + 8)], as: UTF8.self)
      found.append(Found(type: type, start: position, content: position + header, end: position + size))
      position += size
    }
    return found
  }

  static func number(_ bytes: Bytes, _ at: Int, _ count: Int) -> Int {
    guard at >= 0, at + count <= bytes.count else { return 0 }
    var value = 0
    for index in at..<(at + count) { value = value << 8 | Int(bytes[index]) }
    return value
  }

  static func find(_ bytes: Bytes, _ path: [String], in range: Range<Int>) -> Found? {
    var range = range
    var last: Found?
    for type in path {
      guard let found = boxes(bytes, range).first(where: { $0.type == type }) else { return nil }
      last = found
      range = found.content..<found.end
    }
    return last
  }

  /// Reads sample tables, not fragments.
  ///
  /// - Parameter leavingOutBroken: true to skip tracks that cannot be read.
  init(_ bytes: Bytes, leavingOutBroken: Bool = false) throws {
    guard let moov = Self.find(bytes, ["moov"], in: 0..<bytes.count) else { throw Failure(description: "no moov") }
    var tracks: [Track] = []
    for trak in Self.boxes(bytes, moov.content..<moov.end) where trak.type == "trak" {
      do { tracks.append(try Self.track(bytes, trak.content..<trak.end)) } catch {
        guard leavingOutBroken else { throw error }
      }
    }
    self.tracks = tracks
  }

  private static func track(_ bytes: Bytes, _ trak: Range<Int>) throws -> Track {
    func word(_ at: Int) -> Int { number(bytes, at, 4) }
    guard let tkhd = find(bytes, ["tkhd"], in: trak), let hdlr = find(bytes, ["mdia", "hdlr"], in: trak),
      let stbl = find(bytes, ["mdia", "minf", "stbl"], in: trak)
    else { throw Failure(description: "no stbl") }
    let inside = stbl.content..<stbl.end
    // A count in a damaged file may have any value. Counts that no test file has are not read.
    func checked(_ count: Int) throws -> Int {
      guard count <= 1 << 22 else { throw Failure(description: "\(count) entries") }
      return count
    }
    func entries(_ type: String, columns: Int) throws -> [[Int]]? {
      guard let box = find(bytes, [type], in: inside) else { return nil }
      return (0..<(try checked(word(box.content + 4)))).map { row in
        (0..<columns).map { word(box.content + 8 + 4 * (row * columns + $0)) }
      }
    }
    var sizes: [Int] = []
    if let stsz = find(bytes, ["stsz"], in: inside) {
      let common = word(stsz.content + 4)
      sizes = (0..<(try checked(word(stsz.content + 8)))).map { common > 0 ? common : word(stsz.content + 12 + 4 * $0) }
    } else if let stz2 = find(bytes, ["stz2"], in: inside) {
      let bits = Int(bytes[stz2.content + 7])
      sizes = (0..<(try checked(word(stz2.content + 8)))).map { index in
        let start = stz2.content + 12
        switch bits {
        case 16: return number(bytes, start + 2 * index, 2)
        case 8: return number(bytes, start + index, 1)
        default: return number(bytes, start + index / 2, 1) >> (index % 2 == 0 ? 4 : 0) & 15
        }
      }
    }
    var offsets: [Int] = []
    if let stco = find(bytes, ["stco"], in: inside) {
      offsets = (0..<(try checked(word(stco.content + 4)))).map { word(stco.content + 8 + 4 * $0) }
    } else if let co64 = find(bytes, ["co64"], in: inside) {
      offsets = (0..<(try checked(word(co64.content + 4)))).map { number(bytes, co64.content + 8 + 8 * $0, 8) }
    }
    let deltas = (try entries("stts", columns: 2) ?? []).flatMap {
      Array(repeating: $0[1], count: min($0[0], sizes.count))
    }
    let ctts = (try entries("ctts", columns: 2) ?? []).flatMap {
      Array(repeating: Int(Int32(truncatingIfNeeded: $0[1])), count: min($0[0], sizes.count))
    }
    let sync = try entries("stss", columns: 1).map { Set($0.map { $0[0] }) }
    let stsc = try entries("stsc", columns: 3) ?? []

    var samples: [Sample] = []
    var dts = 0
    for (chunk, offset) in offsets.enumerated() {
      guard let row = stsc.last(where: { $0[0] <= chunk + 1 }) else { continue }
      var position = offset
      for _ in 0..<min(row[1], sizes.count - samples.count) {
        let index = samples.count
        let size = sizes[index]
        guard size == 0 || (position >= 0 && position + size <= bytes.count) else {
          throw Failure(description: "sample \(index + 1) at \(position) lies outside")
        }
        samples.append(
          Sample(
            dts: dts, pts: dts + (index < ctts.count ? ctts[index] : 0), isSync: sync?.contains(index + 1) ?? true,
            offset: position, data: size == 0 ? [] : bytes[position..<(position + size)]))
        dts += index < deltas.count ? deltas[index] : 0
        position += size
      }
    }
    let isLong = bytes[tkhd.content] == 1
    return Track(
      id: word(tkhd.content + (isLong ? 20 : 12)),
      handler: String(decoding: bytes[(hdlr.content + 8)..<(hdlr.content + 12)], as: UTF8.self), samples: samples)
  }
}
