/// A client's TLS stream over a socket that blocks.
import Foundation
import TLS

final class BlockingClient {
  let stream: TLSStream
  private let descriptor: Int32
  private let output: RecordBuffer

  init(_ context: TLSClientContext, host: String = "localhost", port: UInt16) throws {
    output = RecordBuffer(capacity: 128 * 1024)
    stream = try context.connect(to: host, port: port, into: output)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw CocoaError(.fileReadUnknown) }
  }

  deinit { close(descriptor) }

  /// The server sees the end.
  func leave() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private func flush() {
    _ = Foundation.send(descriptor, output.bytes.baseAddress, output.bytes.count, Int32(MSG_NOSIGNAL))
    output.removeAll()
  }

  private func receive<Result>(
    _ body: (UnsafeRawBufferPointer) throws(TLSError) -> Result
  ) throws(TLSError) -> Result {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count <= 0 { stream.receivedEnd() }
    let pointer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 1)
    defer { pointer.deallocate() }
    for index in 0..<max(0, count) { pointer[index] = buffer[index] }
    defer { flush() }
    return try body(UnsafeRawBufferPointer(rebasing: pointer[..<max(0, count)]))
  }

  func handshake() throws(TLSError) {
    defer { flush() }
    var progress = try stream.handshake()
    while progress != .done {
      flush()
      progress = try receive { (bytes) throws(TLSError) in try stream.handshake(with: bytes) }
    }
  }

  /// Sends a request and reads the answer to its end.
  func ask(_ request: String = "GET") throws(TLSError) -> String {
    let bytes = Array(request.utf8)
    try bytes.withUnsafeBufferPointer { (bytes) throws(TLSError) in try stream.write(UnsafeRawBufferPointer(bytes)) }
    flush()
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    defer { room.deallocate() }
    var answer = ""
    while true {
      switch try receive({ (bytes) throws(TLSError) in try stream.receive(bytes, into: room) }) {
      case .bytes(let count): answer += String(decoding: room[..<count], as: UTF8.self)
      case .wantRead: continue
      case .closed: return answer
      }
    }
  }
}
