internal import Glibc

/// The service manager that started this process, where there is one that wants to be told how it is (man 3 sd_notify).
package struct ServiceManager: Hashable, Sendable {
  /// What it can be told.
  package enum News: Hashable, Sendable {
    /// What was started can be used.
    case ready
    /// It ends, and was told to.
    case stopping
    /// It lives: without a word for the watchdog's time it is ended and started anew.
    case alive

    fileprivate var message: String {
      switch self {
      case .ready: "READY=1"
      case .stopping: "STOPPING=1"
      case .alive: "WATCHDOG=1"
      }
    }
  }

  /// How long it waits for `.alive`; nil where it does not.
  package let watchdog: Duration?
  /// A path, or a name that begins with zero (man 7 unix).
  private let socketName: [UInt8]

  /// Nil where nobody wants to be told.
  ///
  /// - Parameter variable: looks a variable of the environment up.
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

  /// In bytes: `sun_path` and the zero at its end.
  private static let longestName = 107

  /// Does not wait for long: where nobody takes the news for a second, it is lost.
  package func tell(_ news: News) throws(SystemError) {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .current("socket") }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // Safe because the name is shorter than the field, which is zero else.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: socketName) }
    let headByteCount = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
    let message = Array(news.message.utf8)
    // Safe because the length says how much of the structure is the address, and the array lends its storage.
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
