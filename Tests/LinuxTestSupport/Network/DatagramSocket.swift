import CFootageOpenSSL
import Foundation

/// A named socket in a folder that receives datagrams, like a service manager's. A wait ends after one minute.
package final class DatagramSocket {
  package struct Failed: Error {
    package let call: String
  }

  package let path: String
  private let descriptor: Int32

  package init(in folder: TemporaryFolder) throws {
    path = folder.path("notify")
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { throw Failed(call: "bind") }
  }

  deinit { close(descriptor) }

  /// Waits for the next datagram and returns it.
  package func receive() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw Failed(call: "recv") }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
