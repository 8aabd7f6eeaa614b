internal import Glibc

/// The service manager that started this process, if it wants to be informed about its state (man 3 sd_notify).
package struct ServiceManager: Hashable, Sendable {
  /// The messages that it accepts.
  package enum News: Hashable, Sendable {
    /// The service is ready for use.
    case ready
    /// The process is ending, as it was asked to.
    case stopping
    /// The process is alive. Without this message within the watchdog's time, the manager ends and restarts it.
    case alive

    fileprivate var message: String {
      switch self {
      case .ready: "READY=1"
      case .stopping: "STOPPING=1"
      case .alive: "WATCHDOG=1"
      }
    }
  }

  /// The longest time between two `.alive` messages that the manager tolerates; nil if it does not expect them.
  package let watchdog: Duration?
  /// A path, or a name that begins with a zero byte (man 7 unix).
  private let socketName: [UInt8]

  /// Finds the service manager; nil if there is none that wants messages.
  ///
  /// - Parameter variable: looks up a variable of the environment.
  package init?(_ variable: (String) -> String? = Process.variable) {
    guard let name = variable("NOTIFY_SOCKET"), name.utf8.count > 1, name.utf8.count <= Self.longestName else {
      return nil
    }
    switch name.utf8.first {
    case UInt8(ascii: "/"): socketName = Array(name.utf8)
    case UInt8(ascii: "@"): socketName = [0] + name.utf8.dropFirst()
    default: return nil
    }
    let isMeant = variable("WATCHDOG_PID").map { $0 == "\(Process.identifier)" } ?? true
    watchdog = variable("WATCHDOG_USEC").flatMap { isMeant ? Int64($0) : nil }.flatMap {
      $0 > 0 ? .microseconds($0) : nil
    }
  }

  /// The longest name in bytes, for which `sun_path` still has room for a terminating zero.
  private static let longestName = 107

  /// Sends a message. Does not wait for long: a message that the manager does not accept within a second is lost.
  package func tell(_ news: News) throws(SystemError) {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .current("socket") }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // Safe because the name is shorter than the field, which is otherwise zero.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: socketName) }
    let headByteCount = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
    let message = Array(news.message.utf8)
    // Safe because the length covers only the address, and the array lends its storage.
    let count = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(
          descriptor, message, message.count, CInt(MSG_NOSIGNAL), $0,
          socklen_t(headByteCount + socketName.count))
      }
    }
    guard count == message.count else { throw .current("sendto") }
  }
}
