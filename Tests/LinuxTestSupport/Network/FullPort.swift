/// A port whose connections are neither made nor refused: its queue is full, so Linux drops new connection attempts.
package final class FullPort: Sendable {
  package let port: UInt16
  private let sockets: [BlockingSocket]

  package init() throws {
    let listener = try BlockingSocket(listeningOn: 0, backlog: 0)
    let port = listener.port
    self.port = port
    sockets = [listener] + (try (0..<2).map { _ in try BlockingSocket(beginningToConnectTo: port) })
  }
}
