import FootageSystem
import Testing

@testable import FootageServing

@Suite struct PeerThroughputTests {
  @Test(
    arguments: [
      // Bytes taken, milliseconds, and the resulting classification of the peer.
      (1 << 20, 19, nil), (1 << 20, 20, false), (2 << 20, 20, true), (2 << 20, 40, false), (64 << 20, 1000, true),
      (62 << 20, 1000, false), (125_000, 1000, false), (0, 60_000, false),
    ] as [(Int, UInt64, Bool?)])
  func `fast is who takes 64 MiB a second, over 20 ms at least`(count: Int, milliseconds: UInt64, isFast: Bool?) {
    var rate = PeerThroughput(since: Deadline(milliseconds: 5000))
    rate.add(count)
    #expect(rate.isFast(at: Deadline(milliseconds: 5000 + milliseconds)) == isFast)
  }

  @Test func `a peer is judged by what it took since the last time`() {
    var rate = PeerThroughput(since: Deadline(milliseconds: 0))
    rate.add(100 << 20)
    #expect(rate.isFast(at: Deadline(milliseconds: 10)) == nil)
    rate.add(28 << 20)
    #expect(rate.isFast(at: Deadline(milliseconds: 1000)) == true)
    rate.add(1 << 20)
    #expect(rate.isFast(at: Deadline(milliseconds: 2000)) == false)
    rate.add(70 << 20)
    #expect(rate.isFast(at: Deadline(milliseconds: 3000)) == true)
  }
}
