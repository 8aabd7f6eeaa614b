import FootageHTTP
import FootageServing
import FootageSystem
import Testing
import FootageAPI

@testable import FootageServer

/// The connection of a request that a test holds, wakes and ends.
final class HeldRequest: RequestConnection {
  let peer: SocketAddress
  let identity: ClientIdentity?
  var localPeer: LocalPeer?
  let clock = Clock.system
  var note: AnyObject?
  private(set) var holdCount = 0
  private var continuation: CheckedContinuation<Bool, Never>?

  init(from address: [UInt8] = [192, 0, 2, 7], client: String? = nil, key: PublicKeyPin? = nil) {
    peer = SocketAddress(addressBytes: address, port: 50_000)
    identity = client.map { ClientIdentity(name: $0, certificateDigest: [], key: key) }
  }

  var isHeld: Bool { continuation != nil }

  /// The bytes after the head of the next request that has a body.
  var body: [UInt8]?

  func nextBodyBytes(within limit: RequestBodyLimit) async throws(RequestBodyError) -> [UInt8]? {
    defer { body = nil }
    return body
  }

  func hold(until deadline: Deadline) async -> Bool {
    holdCount += 1
    return await withCheckedContinuation { continuation = $0 }
  }

  func endHold() { end(true) }

  /// Ends the hold as its deadline does, and as a server does that stops.
  func expire() { end(false) }

  private func end(_ isWoken: Bool) {
    continuation?.resume(returning: isWoken)
    continuation = nil
  }

  /// Waits until it has been held this many times.
  func waitUntilHeld(_ count: Int = 1) async {
    while holdCount < count || !isHeld { await Task.yield() }
  }
}

/// Returns a GET request for `/x` with these fields.
func request(_ fields: String...) throws -> RequestHead { try request("/x", fields) }

/// Returns a request without a body.
func request(
  _ target: String, method: String = "GET", _ fields: [String], host: String = "robot"
) throws -> RequestHead {
  let lines = fields.filter { !$0.isEmpty }.map { "\($0)\r\n" }.joined()
  let bytes = Array("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n".utf8)
  var parser = RequestHeadParser()
  guard case .complete(let head, _) = parser.parse(bytes.span) else { throw NoRequest() }
  return head
}

struct NoRequest: Error {}
