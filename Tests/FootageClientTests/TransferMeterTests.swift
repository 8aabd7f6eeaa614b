/// How fast a transfer is, and when a person hears of it.
import Testing

@testable import FootageCore
@testable import FootageLoopback
@testable import FootageOpenSSL

@Suite struct TransferMeterTests {
  @Test func `speed is that of the last seconds`() {
    var meter = TransferMeter()
    #expect(meter.bytesPerSecond(at: .zero) == 0)
    for second in 0..<10 { meter.add(1000, at: .seconds(second)) }
    #expect(abs(meter.bytesPerSecond(at: .seconds(9)) - 1200) < 1)
    #expect(meter.bytesPerSecond(at: .seconds(100)) == 0)
    let progress = meter.progress(received: 10_000, total: 22_000, at: .seconds(9))
    #expect(progress.remaining == .seconds(10))
    #expect(meter.progress(received: 1, total: 2, at: .seconds(100)).remaining == nil)
  }

  @Test func `reports come ten times a second at most`() {
    var meter = TransferMeter()
    var due: [Bool] = []
    for moment in [0, 99, 100, 150, 200] { due.append(meter.isReportDue(at: .milliseconds(moment))) }
    #expect(due == [true, false, true, false, true])
  }
}
