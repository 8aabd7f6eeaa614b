/// The rate at which bytes arrive.

import Testing

@testable import FootageCore

@Suite struct ByteRateTests {
  @Test func `a rate is that of the last seconds`() {
    var rate = ByteRate()
    #expect(rate.value(at: .zero) == 0)
    for second in 0..<10 { rate.add(1000, at: .seconds(second)) }
    #expect(rate.value(at: .seconds(9)) == 1000)
    #expect(rate.value(at: .seconds(100)) == 0)
  }

  @Test func `what comes in the first moment is no rate of a thousand times as much`() {
    var rate = ByteRate()
    rate.add(1000, at: .zero)
    #expect(rate.value(at: .milliseconds(1)) == 4000)
  }
}
