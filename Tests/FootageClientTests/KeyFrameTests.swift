import FootageClient
import Synchronization
import Testing

/// A transport that answers every request with one document.
private final class OneAnswer: MediaTransport {
  private let status: Int
  private let tag: String?
  private let bytes: [UInt8]
  private let asked = Mutex<[String]>([])

  init(_ status: Int = 200, tag: String? = nil, _ bytes: [UInt8]) {
    self.status = status
    self.tag = tag
    self.bytes = bytes
  }

  var targets: [String] { asked.withLock { $0 } }

  private final class Body: MediaBody {
    private let rest: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) { rest = Mutex(bytes) }

    func next() async throws(TransportFailure) -> [UInt8]? {
      rest.withLock { rest in
        defer { rest = nil }
        return rest
      }
    }
  }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    asked.withLock { $0.append(request.target) }
    return MediaResponse(status: status, entityTag: tag, contentLength: UInt64(bytes.count), body: Body(bytes))
  }
}

@Suite struct KeyFrameTests {
  private func robot(_ transport: OneAnswer) throws -> RobotConnection {
    RobotConnection(to: try #require(RobotAddress("robot.test")), over: transport)
  }

  @Test func `a picture is asked for by exact seconds, and given as it came`() async throws {
    let transport = OneAnswer(tag: "\"0011-k1-7\"", [1, 2, 3])
    let picture = try await robot(transport).keyFrame(of: "a b/c", at: 12.5, version: "\"00112233445566778899\"")
    #expect(picture == [1, 2, 3])
    #expect(transport.targets == ["/recordings/a%20b/c.mp4?keyframe=12.5&v=0011223344556677"])
  }

  /// An earlier robot ignores the parameters and sends the whole recording.
  @Test func `a robot without pictures is told from one that has them`() async throws {
    for tag in ["\"00112233445566778899aabbccddeeff\"", nil] {
      await #expect { _ = try await robot(OneAnswer(tag: tag, [1])).keyFrame(of: "a", at: 1) } throws: { error in
        guard case .notSupported? = error as? RobotError else { return false }
        return true
      }
    }
  }

  @Test(arguments: [
    (400, "unsupported-view", "notSupported"), (404, "no-such-view", "notFound"), (404, "gone", "notFound"),
    (400, "bad-query", "unexpected"),
  ])
  func `a refusal keeps its kind`(status: Int, code: String, kind: String) async throws {
    let problem = Array(#"{"code":"\#(code)","detail":"so it is"}"#.utf8)
    await #expect { _ = try await robot(OneAnswer(status, problem)).keyFrame(of: "a", at: 1) } throws: { error in
      "\(error)".contains("so it is") && Mirror(reflecting: error).children.first?.label == kind
    }
  }

  @Test func `no moment is no request`() async throws {
    let transport = OneAnswer(tag: "\"0-k\"", [])
    await #expect(throws: RobotError.self) { try await robot(transport).keyFrame(of: "a", at: .nan) }
    #expect(transport.targets.isEmpty)
  }
}
