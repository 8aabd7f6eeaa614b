import Foundation
import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

@Suite struct SendingRateTests {
  private static func option(_ level: Int32, _ name: Int32, of socket: Socket) -> UInt64 {
    var value: UInt64 = 0
    var length = socklen_t(8)
    getsockopt(socket.descriptor, level, name, &value, &length)
    return value
  }

  private static func connect(to listener: BlockingSocket) throws -> Socket {
    try Socket(connectingTo: SocketAddress(addressBytes: [127, 0, 0, 1], port: listener.port), unsentLimit: 65_536)
  }

  private static func rate(_ socket: Socket) -> UInt64 { option(SOL_SOCKET, SO_MAX_PACING_RATE, of: socket) }

  @Test func `connections share a rate, which may change, and those that are gone leave theirs`() throws {
    let listener = try BlockingSocket(listeningOn: 0)
    let rate = SendingRate(1_000_000)
    let first = try Self.connect(to: listener)
    rate.limit(first)
    #expect(Self.rate(first) == 1_000_000)
    var second: Socket? = try Self.connect(to: listener)
    if let second {
      rate.limit(second)
      #expect(Self.rate(second) == 500_000)
    }
    #expect(Self.rate(first) == 500_000)
    #expect(rate.connectionCount == 2)
    second = nil
    rate.bytesPerSecond = 3_000_000
    #expect(rate.bytesPerSecond == 3_000_000)
    #expect(Self.rate(first) == 3_000_000)
    #expect(rate.connectionCount == 1)
    rate.bytesPerSecond = 0
    #expect(Self.rate(first) == 1)
    rate.bytesPerSecond = nil
    // The kernel's value for "no limit".
    #expect(Self.rate(first) == .max)
  }

  @Test(arguments: [false, true]) func `what may take its time is marked as that alone`(yields: Bool) throws {
    let listener = try BlockingSocket(listeningOn: 0)
    let socket = try Self.connect(to: listener)
    SendingRate(yieldsToOthers: yields).limit(socket)
    // RFC 8622 §1: DSCP 000001, before the two bits for congestion.
    #expect(Self.option(Int32(IPPROTO_IP), IP_TOS, of: socket) == (yields ? 4 : 0))
  }
}
