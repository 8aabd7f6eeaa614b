import FootageAPI
import FootageBase
import TestSupport
import Testing

private typealias Film = Timeline<String>

private func at(_ milliseconds: Int64) -> UnixTimestamp { UnixTimestamp(milliseconds: milliseconds) }

private func entry(_ name: String, _ from: Int64, _ to: Int64) -> Film.Entry {
  Film.Entry(name, from: at(from), to: at(to))
}

private func film(_ entries: Film.Entry..., from: Int64 = 0, to: Int64 = 1_000_000) -> Film {
  Film(entries, in: at(from)..<at(to))
}

extension Timeline<String> {
  /// The parts as text: `a 0–10000, …`.
  fileprivate var words: [String] { parts.map { "\($0.recording) \($0.from.milliseconds)–\($0.to.milliseconds)" } }
  /// The spans as text, with the names of the recordings in them.
  fileprivate var spanWords: [String] {
    spans.map {
      "\($0.from.milliseconds)–\($0.to.milliseconds)\($0.overlaps ? " overlaps" : "") "
        + $0.entries.map(\.recording).joined()
    }
  }
}

@Suite struct TimelineTests {
  @Test func `recordings that follow one another within a second are one span`() {
    let one = film(entry("a", 0, 10_000), entry("b", 11_000, 20_000), entry("c", 21_001, 30_000))
    #expect(one.spanWords == ["0–20000 ab", "21001–30000 c"])
    #expect(one.words == ["a 0–10000", "b 11000–20000", "c 21001–30000"])
  }

  @Test func `up to a second of overlap leaves both whole, and more does not`() {
    let whole = film(entry("a", 0, 10_000), entry("b", 9_000, 20_000))
    #expect(whole.spanWords == ["0–20000 ab"])
    #expect(whole.words == ["a 0–10000", "b 9000–20000"])
    let cut = film(entry("a", 0, 10_001), entry("b", 9_000, 20_000))
    #expect(cut.spanWords == ["0–20000 overlaps ab"])
    #expect(cut.words == ["a 0–9000", "b 9000–20000"])
  }

  @Test func `each moment belongs to the one that began last, and the older one goes on behind it`() {
    let nested = film(entry("a", 0, 100_000), entry("b", 10_000, 50_000), entry("c", 20_000, 30_000))
    #expect(nested.spanWords == ["0–100000 overlaps abc"])
    #expect(nested.words == ["a 0–10000", "b 10000–20000", "c 20000–30000", "b 30000–50000", "a 50000–100000"])
    // A recording shorter than a second, in the middle of another one.
    let short = film(entry("a", 0, 100_000), entry("b", 10_000, 10_500))
    #expect(short.spanWords == ["0–100000 overlaps ab"])
    #expect(short.words == ["a 0–10000", "b 10000–10500", "a 10500–100000"])
    // A recording in the last second of another one.
    let last = film(entry("a", 0, 100_000), entry("b", 99_500, 99_600))
    #expect(last.words == ["a 0–100000", "b 99500–99600"] && last.spanWords == ["0–100000 ab"])
  }

  @Test func `what was whole up to an end is not shown again by an older one`() {
    let three = film(entry("h", 0, 200_000), entry("a", 10_000, 100_000), entry("b", 99_300, 99_600))
    #expect(three.words == ["h 0–10000", "a 10000–100000", "b 99300–99600", "h 100000–200000"])
    // The recording that shows again does not begin earlier than before, and ends where the next one begins.
    let four = film(
      entry("h", 0, 200_000), entry("a", 10_000, 100_000), entry("b", 99_300, 99_600), entry("c", 99_800, 150_000))
    #expect(four.words == ["h 0–10000", "a 10000–100000", "b 99300–99600", "c 99800–150000", "h 150000–200000"])
  }

  @Test func `of two that begin together the later one in the list shows`() {
    let twins = film(entry("a", 0, 60_000), entry("b", 0, 30_000))
    #expect(twins.spanWords == ["0–60000 overlaps ab"] && twins.words == ["b 0–30000", "a 30000–60000"])
    let brief = film(entry("a", 0, 500), entry("b", 0, 800))
    #expect(brief.spanWords == ["0–800 ab"] && brief.words == ["a 0–500", "b 0–800"])
  }

  @Test func `only the wanted time is told of, and recordings are whole in it`() {
    let part = film(
      entry("a", 0, 10_000), entry("b", 10_000, 20_000), entry("c", 20_000, 30_000), entry("d", 90_000, 95_000),
      from: 10_000, to: 25_000)
    #expect(part.spanWords == ["10000–25000 bc"])
    #expect(part.words == ["b 10000–20000", "c 20000–25000"])
    #expect(part.spans.first?.entries.last?.to == at(30_000))
    // An overlap outside of the requested time does not count.
    let before = film(entry("a", 0, 20_000), entry("b", 2_000, 8_000), entry("c", 30_000, 31_000), from: 9_000)
    #expect(before.spanWords == ["9000–20000 a", "30000–31000 c"])
    let cut = film(entry("a", 0, 20_000), entry("b", 2_000, 8_000), from: 7_000, to: 7_500)
    #expect(cut.spanWords == ["7000–7500 overlaps ab"] && cut.words == ["b 7000–7500"])
    #expect(film(entry("a", 0, 10_000), from: 10_000).spans.isEmpty)
    #expect(film(entry("a", 10_000, 20_000), to: 10_000).spans.isEmpty)
    #expect(film().spans.isEmpty && film().parts.isEmpty)
  }

  @Test func `one whose length is not known is there at its moment, and shows nothing`() {
    let point = film(entry("a", 5_000, 5_000), from: 5_000)
    #expect(point.spanWords == ["5000–5000 a"] && point.words.isEmpty)
    let within = film(entry("a", 0, 60_000), entry("b", 5_000, 5_000))
    #expect(within.spanWords == ["0–60000 ab"] && within.words == ["a 0–60000"])
    // A recording never ends before it begins.
    #expect(entry("a", 9, 3).to == at(9))
  }

  @Test func `the ends of time are no trouble`() {
    let all = Film(
      [
        Film.Entry("a", from: at(.min), to: at(.max)), Film.Entry("b", from: at(0), to: at(.max)),
        Film.Entry("c", from: at(.max), to: at(.max)),
      ], in: at(.min)..<at(.max))
    #expect(all.spans.count == 1 && all.spans[0].entries[0].milliseconds == .max)
    #expect(all.parts.map(\.recording) == ["a", "b"])
  }

  /// Compares timelines with the rule applied moment by moment, for recordings that overlap by more than a second or
  /// not at all.
  @Test(arguments: 0..<200)
  func `each moment is that of the last that began, whatever lies on whatever`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let entries = (0..<Int.random(in: 1...12, using: &random)).map { index in
      let from = Int64.random(in: 0...40, using: &random) * 2_000
      return entry("\(index)", from, from + Int64.random(in: 1...12, using: &random) * 2_000)
    }.sorted { $0.from < $1.from }
    let (low, high) = (
      Int64.random(in: 0...30, using: &random) * 2_000, Int64.random(in: 31...60, using: &random) * 2_000
    )
    let film = Film(entries, in: at(low)..<at(high))
    for moment in stride(from: Int64(0), to: 120_000, by: 1_000) {
      let expected =
        (low..<high).contains(moment)
        ? entries.last { $0.from <= at(moment) && $0.to > at(moment) }?.recording : nil
      let shown = film.parts.filter { $0.from <= at(moment) && $0.to > at(moment) }.map(\.recording)
      #expect(shown == (expected.map { [$0] } ?? []), "\(seed): \(moment)")
      let isIn = film.spans.contains { $0.from <= at(moment) && $0.to > at(moment) }
      #expect(isIn == (expected != nil), "\(seed): \(moment)")
    }
  }

  /// Checks the properties that hold for all timelines, including those with overlaps of up to a second.
  @Test(arguments: 0..<200)
  func `what is there is shown, and no more than a second of it twice`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let entries = (0..<Int.random(in: 1...12, using: &random)).map { index in
      let from = Int64.random(in: 0...12_000, using: &random)
      return entry("\(index)", from, from + Int64.random(in: 0...6_000, using: &random))
    }.sorted { $0.from < $1.from }
    let film = Film(entries, in: at(0)..<at(100_000))
    let parts = film.parts
    #expect(parts.allSatisfy { $0.from < $0.to })
    #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.from <= $1.from })
    for part in parts {
      #expect(entries.contains { $0.recording == part.recording && $0.from <= part.from && $0.to >= part.to })
    }
    for moment in stride(from: Int64(0), to: 20_000, by: 50) {
      let there = entries.filter { $0.from <= at(moment) && $0.to > at(moment) }
      let shown = parts.filter { $0.from <= at(moment) && $0.to > at(moment) }
      #expect(shown.isEmpty == there.isEmpty, "\(seed): \(moment)")
      for (one, other) in zip(shown, shown.dropFirst()) {
        #expect(min(one.to, other.to).milliseconds - other.from.milliseconds <= 1_000, "\(seed): \(moment)")
      }
    }
    for recording in entries.map(\.recording) {
      let own = parts.filter { $0.recording == recording }
      #expect(zip(own, own.dropFirst()).allSatisfy { $0.to <= $1.from }, "\(seed): \(recording) is shown twice")
    }
  }
}
