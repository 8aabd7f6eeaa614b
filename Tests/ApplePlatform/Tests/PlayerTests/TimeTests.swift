/// The stand-in for CoreMedia calculates as Apple documents.
import CoreMedia
import Testing

@Suite struct TimeTests {
  private func time(_ value: Int64, _ timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

  @Test func `times of other timescales are compared and added exactly`() {
    #expect(time(1, 2) == time(500, 1_000))
    #expect(time(1, 3) < time(34, 100))
    #expect(time(1, 3) + time(1, 6) == time(1, 2))
    #expect((time(1, 3) + time(1, 6)).timescale == 6)
    #expect(time(1, 2) - time(1, 3) == time(1, 6))
    #expect(time(.max, 3) > time(.max, 4))
    #expect(time(1, 0) == .invalid)
  }

  @Test func `what cannot be exact is rounded, and says so`() {
    let seventh = CMTime(seconds: 1.0 / 7, preferredTimescale: 600)
    #expect(seventh == time(86, 600) && seventh.hasBeenRounded)
    #expect(!CMTime(seconds: 0.5, preferredTimescale: 600).hasBeenRounded)
    #expect((time(1, .max) + time(1, .max - 1)).hasBeenRounded)
    #expect(CMTime(seconds: 1e15, preferredTimescale: 1_000_000).timescale < 1_000_000)
  }

  @Test func `all times have an order`() {
    let times: [CMTime] = [.negativeInfinity, time(-1, 1), .zero, time(1, 1), .indefinite, .positiveInfinity, .invalid]
    for (index, one) in times.enumerated() {
      for (other, another) in times.enumerated() { #expect((one < another) == (index < other)) }
    }
  }

  @Test func `infinity swallows, and is nothing with its opposite`() {
    #expect(CMTime.positiveInfinity + time(1, 1) == .positiveInfinity)
    #expect(time(1, 1) - .positiveInfinity == .negativeInfinity)
    #expect(CMTime.positiveInfinity + .negativeInfinity == .invalid)
    #expect(CMTime.indefinite + .positiveInfinity == .indefinite)
    #expect(CMTime.invalid + .zero == .invalid)
    #expect(CMTime.invalid.seconds.isNaN && CMTime.indefinite.seconds.isNaN)
    #expect(CMTime.negativeInfinity.seconds == -.infinity)
  }

  @Test func `a range is half-open`() {
    let range = CMTimeRange(start: time(1, 1), end: time(5, 2))
    #expect(range.duration == time(3, 2) && range.end == time(5, 2))
    #expect(range.containsTime(time(1, 1)) && !range.containsTime(time(5, 2)) && !range.containsTime(.indefinite))
    #expect(!CMTimeRange(start: time(2, 1), end: time(1, 1)).isValid)
    #expect(CMTimeRange.zero.isEmpty && !CMTimeRange.invalid.isValid)
  }
}
