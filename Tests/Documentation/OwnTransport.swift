/// The code of "Where your URLSession delegate went": a custom transport; this one records the requests to another one.

import FootageClient
import Synchronization

final class NotingTransport: MediaTransport {
  private let transport: any MediaTransport
  private let noted = Mutex<[String]>([])
  var targets: [String] { noted.withLock { $0 } }

  init(_ transport: any MediaTransport) { self.transport = transport }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    noted.withLock { $0.append(request.target) }
    var response = try await transport.open(request)
    response.body = NotingBody(body: response.body)
    return response
  }

  func prepare() async { await transport.prepare() }
}

struct NotingBody: MediaBody {
  let body: any MediaBody

  func next() async throws(TransportFailure) -> [UInt8]? { try await body.next() }
}

func connect(to address: RobotAddress, by transport: NotingTransport) -> RobotConnection {
  RobotConnection(to: address, over: transport)
}
