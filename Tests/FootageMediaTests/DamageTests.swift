/// Files that were cut off or have flipped bits: they are served correctly, are incomplete or are refused, and never
/// cause a crash.

import FootageBase
import Foundation
import FootageMedia
import FootageSystem
import TestSupport
import Testing

@Suite struct DamageTests {
  /// Returns the offsets at which whole fragments end, found by the box after each `moof`.
  private func fragmentEnds(_ bytes: Bytes) -> [Int] {
    var ends: [Int] = []
    var inFragment = false
    for box in Demuxed.boxes(bytes, 0..<bytes.count) {
      if box.type == "moof" { inFragment = true }
      if box.type == "mdat", inFragment { ends.append(box.end) }
    }
    return ends
  }

  @Test func `a fragmented file cut anywhere is served up to its last whole fragment`() throws {
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      guard bytes.isFragmented else { continue }
      let whole = try Demuxed(try index(of: bytes).served(from: bytes))
      let ends = fragmentEnds(bytes)
      let hasSamplesInMovie = try Demuxed(bytes).tracks.contains { !$0.samples.isEmpty }
      for step in 0..<200 {
        let cut = bytes.count * step / 200
        let rest = Array(bytes.prefix(cut))
        switch try? MovieIndex.make(of: MemoryByteSource(rest)) {
        case .ready(let index):
          let served = try Demuxed(index.served(from: rest))
          let end = try #require(index.body.map(\.upperBound).first)
          if let last = ends.last(where: { $0 <= cut }) { check(end == UInt64(last), "\(name) cut at \(cut)") }
          for (track, other) in zip(whole.tracks, served.tracks) {
            check(track.samples.starts(with: other.samples), "\(name) cut at \(cut), track \(track.id)")
          }
          let boxes = Demuxed.boxes(rest, 0..<cut)
          let endsOnBox = boxes.last?.end == cut
          check(index.isRecovered || endsOnBox, "\(name) cut at \(cut)")
        case .incomplete:
          check(hasSamplesInMovie || (ends.first ?? 0) > cut, "\(name) cut at \(cut)")
        case nil: Issue.record("\(name) cut at \(cut) was refused for good: it may be growing")
        }
      }
    }
  }

  @Test func `a progressive file cut anywhere is incomplete`() throws {
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      guard !bytes.isFragmented else { continue }
      for step in 0..<200 {
        let cut = bytes.count * step / 200
        let outcome = try? MovieIndex.make(of: MemoryByteSource(Array(bytes.prefix(cut))))
        guard case .incomplete = outcome else {
          // The bytes after the movie's last sample may be missing without harm.
          guard case .ready(let index) = outcome else {
            Issue.record("\(name) cut at \(cut): \(String(describing: outcome))")
            continue
          }
          let rest = Array(bytes.prefix(cut))
          try #expect(Demuxed(index.served(from: rest)) == Demuxed(bytes), "\(name) cut at \(cut)")
          continue
        }
      }
    }
  }

  @Test func `flipped bits outside the media never crash and never make for other samples than the tables say`() throws
  {
    let seed = TestRun.seed(of: "flipped bits outside the media")
    // All 2,000 take minutes in a debug build; `scripts/test.sh --soak` runs them.
    let flipsPerFile = TestRun.isSoaking ? 2_000 : 200
    var refused = 0
    for name in try Zoo.made.get().names {
      var random = SeededGenerator(seed: seed)
      var bytes = try Zoo.bytes(name)
      let isFragmented = bytes.isFragmented
      var headers: [Int] = []
      for box in Demuxed.boxes(bytes, 0..<bytes.count) {
        headers += Array(box.start..<(box.type == "mdat" ? box.content : box.end))
      }
      var outcomes = (ready: 0, incomplete: 0, refused: 0)
      for flip in 0..<flipsPerFile {
        let position = headers[Int(random.next() % UInt64(headers.count))]
        let bit = UInt8(1) << UInt8(random.next() % 8)
        bytes[position] ^= bit
        defer { bytes[position] ^= bit }
        do {
          switch try MovieIndex.make(of: MemoryByteSource(bytes)) {
          case .ready(let index):
            outcomes.ready += 1
            // Reading all samples again is slow, so only every tenth file is checked.
            guard flip % 10 == 0 else { continue }
            let served = try Demuxed(index.served(from: bytes))
            let place = "\(name), byte \(position), bit \(bit), seed \(seed)"
            if isFragmented {
              let offsets = served.tracks.flatMap(\.samples).filter { !$0.data.isEmpty }.map(\.offset)
              check(offsets.allSatisfy { $0 >= index.preamble.count }, "\(place): samples in the head")
            } else {
              try compare(served, Demuxed(bytes, leavingOutBroken: true), place)
            }
          case .incomplete: outcomes.incomplete += 1
          }
        } catch let error as MP4Error {
          outcomes.refused += 1
          check(!error.description.isEmpty, "seed \(seed)")
        }
      }
      #expect(outcomes.ready > 0, "\(name): \(outcomes), seed \(seed)")
      refused += outcomes.refused
    }
    #expect(refused > 0, "seed \(seed)")
  }

  @Test(.enabled(if: PeakMemory.isCounted))
  func `no damage makes the index need more than 64 MiB and three times the movie box`() async throws {
    _ = try Zoo.made.get()
    // A process of its own, whose peak nothing else raises.
    await #expect(processExitsWith: .success) {
      let seed = TestRun.seed(of: "flipped bits, and the memory they take")
      let flipsPerFile = TestRun.isSoaking ? 2_000 : 200
      for name in try Zoo.made.get().names {
        var random = SeededGenerator(seed: seed)
        var bytes = try Zoo.bytes(name)
        let boxes = Demuxed.boxes(bytes, 0..<bytes.count)
        let headers = boxes.flatMap { Array($0.start..<($0.type == "mdat" ? $0.content : $0.end)) }
        let movieBytes = boxes.filter { $0.type == "moov" || $0.type == "moof" }.reduce(0) { $0 + $1.end - $1.start }
        let before = try PeakMemory.restart()
        for _ in 0..<flipsPerFile {
          let position = headers[Int(random.next() % UInt64(headers.count))]
          let bit = UInt8(1) << UInt8(random.next() % 8)
          bytes[position] ^= bit
          _ = try? MovieIndex.make(of: MemoryByteSource(bytes))
          bytes[position] ^= bit
        }
        let grown = try PeakMemory.bytes() - before
        #expect(grown <= (64 << 20) + 3 * movieBytes, "\(name): \(grown >> 20) MiB, seed \(seed)")
      }
    }
  }

  /// Compares the samples, without tracks that were left out with a note. Where a duration is wild or negative, times
  /// are mended, and are not compared.
  private func compare(_ served: Demuxed, _ source: Demuxed, _ place: String) {
    for track in served.tracks {
      let original = source.tracks.first { $0.id == track.id && $0.handler == track.handler }
      let isSame =
        original == track
        || original.map { $0.hasLongDuration && $0.data == track.data || track.beginsLater(than: $0) } ?? false
      #expect(isSame, "\(place), track \(track.id)")
    }
  }

  @Test func `a file that cannot be read to its end says so`() throws {
    struct Failing: ByteSource {
      let bytes: MemoryByteSource
      let bad: UInt64
      var length: UInt64 { bytes.length }
      func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
        guard offset + UInt64(buffer.count) <= bad, (try? bytes.read(at: offset, into: buffer)) != nil else {
          throw StorageError("read", "x.mp4", .endOfFile(offset: bad))
        }
      }
    }
    for name in ["moov-last.mp4", "frag-keyframe.mp4", "moov-first.mp4"] {
      let bytes = try Zoo.bytes(name)
      let source = Failing(
        bytes: MemoryByteSource(bytes), bad: name == "moov-first.mp4" ? 100 : UInt64(bytes.count - 100))
      #expect(throws: MP4Error.unreadable(ReadFailure(StorageError("read", "x.mp4", .endOfFile(offset: source.bad))))) {
        _ = try MovieIndex.make(of: source)
      }
    }
  }
}

extension Demuxed.Track {
  /// True if the track is another one but for a single picture that begins later: the one that an edit cuts.
  fileprivate func beginsLater(than source: Demuxed.Track) -> Bool {
    guard handler == "vide", samples.count == source.samples.count else { return false }
    let changed = zip(samples, source.samples).filter { $0 != $1 }
    guard changed.count == 1, let (later, before) = changed.first else { return false }
    let moved = Demuxed.Sample(
      dts: before.dts, pts: later.pts, isSync: before.isSync, offset: before.offset, data: before.data)
    return later == moved && later.pts > before.pts
  }

  /// True if a sample has a duration that is negative or, at any usual timescale, of more than ten seconds.
  fileprivate var hasLongDuration: Bool {
    zip(samples, samples.dropFirst()).contains { $1.dts < $0.dts || $1.dts - $0.dts > 10_000 }
  }
  fileprivate var data: [ArraySlice<UInt8>] { samples.map(\.data) }
}
