/// One HTTP/1.1 exchange with a program on this machine. Foundation's own client on Linux refuses chromedriver's
/// headers, which have no blank after the colon.

import Dispatch
import Foundation
import Glibc

struct LoopbackRequest {
  let method: String
  let port: UInt16
  let path: String
  let body: Data

  /// Sends the request and gives the status and the body of the answer.
  ///
  /// - Throws: ``TestFailure`` when there is no connection, or no whole answer within a minute.
  func send() async throws -> (status: Int, body: Data) {
    try await withCheckedThrowingContinuation { continuation in
      // The calls block: they stay off the threads that run the tests.
      DispatchQueue.global().async { continuation.resume(with: Result { try exchange() }) }
    }
  }

  private func exchange() throws -> (status: Int, body: Data) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw failure("no socket") }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw failure("no connection") }
    try write(
      Data(
        """
        \(method) \(path) HTTP/1.1\r
        Host: 127.0.0.1:\(port)\r
        Content-Type: application/json; charset=utf-8\r
        Content-Length: \(body.count)\r
        Connection: close\r
        \r\n
        """.utf8) + body, to: descriptor)
    return try parse(try readAnswer(from: descriptor))
  }

  private func write(_ data: Data, to descriptor: Int32) throws {
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw failure("the request was cut off") }
      rest = rest.dropFirst(count)
    }
  }

  /// Head and body, by the length that the head gives.
  private func readAnswer(from descriptor: Int32) throws -> Data {
    var answer = Data()
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      if let head = answer.firstRange(of: Data("\r\n\r\n".utf8)),
        answer.count >= head.upperBound + length(answer[..<head.lowerBound])
      {
        return answer
      }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw failure("the answer was cut off after \(answer.count) bytes") }
      answer.append(contentsOf: buffer[..<count])
    }
  }

  private func length(_ head: Data) -> Int {
    let text = String(decoding: head, as: UTF8.self)
    return text.firstMatch(of: /(?i)content-length:\s*(\d+)/).flatMap { Int($0.1) } ?? 0
  }

  private func parse(_ answer: Data) throws -> (status: Int, body: Data) {
    let line = String(decoding: answer.prefix(64), as: UTF8.self).split(separator: " ")
    guard line.count > 1, let status = Int(line[1]), let head = answer.firstRange(of: Data("\r\n\r\n".utf8)) else {
      throw failure("not an HTTP answer")
    }
    return (status, Data(answer[head.upperBound...]))
  }

  private func failure(_ what: String) -> TestFailure {
    TestFailure(description: "\(method) http://127.0.0.1:\(port)\(path): \(what)")
  }
}
