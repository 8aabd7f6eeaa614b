import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

/// A bus with a test's own Avahi on it, for one connection.
final class ScriptedBus: @unchecked Sendable {
  let path: String
  private let folder: TemporaryFolder
  private let listener: CInt
  /// The connection, to which the test's thread writes once it exists. It is closed with this object.
  private let connection = EventLog<CInt>()
  let calls = EventLog<BusMessage>()

  /// - Parameter greeting: the answer to the client's authentication.
  init(greeting: String = "OK 1234deadbeef") throws {
    folder = try TemporaryFolder()
    path = folder.path("bus")
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, listen(listener, 1) == 0 else { throw CocoaError(.fileWriteUnknown) }
    Thread.detachNewThread { [self] in serve(greeting) }
  }

  private func serve(_ greeting: String) {
    let peer = accept(listener, nil, nil)
    guard peer >= 0 else { return }
    var received: [UInt8] = []
    func read() -> Bool {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = recv(peer, &buffer, buffer.count, 0)
      received += buffer.prefix(max(0, count))
      return count > 0
    }
    while !received.contains(UInt8(ascii: "\n")) { guard read() else { return } }
    guard received.starts(with: [0] + Array("AUTH EXTERNAL ".utf8)) else { return }
    received = []
    let answer = Array("\(greeting)\r\n".utf8)
    _ = Glibc.send(peer, answer, answer.count, Int32(MSG_NOSIGNAL))
    while received.count < 7 { guard read() else { return } }
    received.removeFirst("BEGIN\r\n".utf8.count)
    connection.append(peer)
    repeat {
      while let length = try? BusMessage.length(of: received[...]), received.count >= length {
        if let call = try? BusMessage(received.prefix(length)) { calls.append(call) }
        received.removeFirst(length)
      }
    } while read()
  }

  /// Waits for the client, and sends it messages.
  func say(_ messages: BusMessage...) throws { try say(messages.flatMap(\.bytes)) }

  func say(_ bytes: [UInt8]) throws {
    try eventually("somebody on the bus") { !connection.all.isEmpty }
    _ = Glibc.send(required(connection.all.first), bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Ends the connection.
  func end() throws {
    try eventually("somebody on the bus") { !connection.all.isEmpty }
    shutdown(required(connection.all.first), Int32(SHUT_RDWR))
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    for peer in connection.all { close(peer) }
  }
}
