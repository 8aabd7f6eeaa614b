/// A client's TLS stream over a blocking socket.
import FootageTLS
import LinuxTestSupport

final class BlockingClient {
  let stream: TLSStream
  private let socket: BlockingSocket
  private let output: RecordBuffer

  init(_ context: TLSClientContext, host: String = "localhost", port: UInt16) throws {
    output = RecordBuffer(capacity: 128 * 1024)
    stream = try context.connect(to: host, port: port, into: output)
    socket = try BlockingSocket(to: port)
  }

  /// Closes the connection, so that the server sees the end.
  func leave() { socket.shutDown() }

  private func flush() {
    socket.send(Array(output.bytes))
    output.removeAll()
  }

  private func receive<Result>(
    _ body: (UnsafeRawBufferPointer) throws(TLSError) -> Result
  ) throws(TLSError) -> Result {
    var received: [UInt8] = []
    if case .bytes(let bytes) = socket.receive() { received = bytes } else { stream.receivedEnd() }
    defer { flush() }
    return try received.withUnsafeBufferPointer { (bytes) throws(TLSError) in try body(UnsafeRawBufferPointer(bytes)) }
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
