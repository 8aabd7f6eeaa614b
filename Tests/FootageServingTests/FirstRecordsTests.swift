/// The first TLS records of an answer: a long first record arrives one round trip later than a short one.
@testable import FootageHTTP
@testable import FootageServing
import Synchronization
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageFetching

@Suite(.offThePool) struct FirstRecordsTests {
  /// Returns the lengths of TLS records (RFC 8446 §5.1), without their headers.
  private static func recordLengths(_ bytes: [UInt8]) -> [Int] {
    var lengths: [Int] = []
    var rest = bytes[...]
    while rest.count >= 5 {
      let start = rest.startIndex
      let length = Int(rest[start + 3]) << 8 | Int(rest[start + 4])
      lengths.append(length)
      rest = rest.dropFirst(5 + length)
    }
    return lengths
  }

  @Test(.timeLimit(.minutes(1))) func `a first answer begins with records that the first round trip brings whole`()
    async throws
  {
    let robot = try TestServer(.tls13)
    let sent = Mutex<[UInt8]>([])
    let relay = try Relay(to: Int(robot.server.address.port), onBytes: { bytes in sent.withLock { $0 += bytes } }) {
      _ in
      [.passAll]
    }
    let pin = try #require(try Certificate.all(inPEM: TestIdentity.shared.certificate, what: "")[0].publicKeyPin)
    let client = try HTTPClientTests.client(
      UInt16(relay.port), tls: try TLSClientContext.make(.pinned([.publicKey(pin)])))
    let response = try await client.send(HTTPClientRequest("/big", range: 0..<(1 << 20)))
    #expect(try await response.document(upTo: 1 << 20) == Array(TestHandler.big[..<(1 << 20)]))
    let lengths = Self.recordLengths(sent.withLock { $0 })
    let first = try #require(lengths.firstIndex { $0 > 4000 })
    // In TLS 1.3 a record contains one more byte for the type and 16 for the tag (RFC 8446 §5.2).
    #expect(lengths[first..<(first + 3)].allSatisfy { $0 == 4096 + 17 }, "\(lengths.prefix(20))")
    #expect(lengths[(first + 3)...].contains(16_384 + 17))
    // Ten segments of 1,448 bytes (RFC 6928) hold the ticket and two of the records.
    #expect(lengths[..<(first + 2)].suffix(3).reduce(0, +) < 10 * 1448)
  }
}
