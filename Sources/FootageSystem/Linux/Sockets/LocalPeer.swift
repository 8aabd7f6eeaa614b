internal import CFootageLinux

/// The process that connected to a socket with a path, as the kernel recorded it when it connected (man 7 unix,
/// `SO_PEERCRED`).
package struct LocalPeer: Hashable, Sendable {
  /// The number of the user that the process acts for, in the user namespace of this process.
  package let user: UInt32
  package let group: UInt32
  /// The number of the process; 0 if it is in another PID namespace.
  package let process: Int32

  package init(user: UInt32, group: UInt32, process: Int32) {
    self.user = user
    self.group = group
    self.process = process
  }

  /// Finds the peer of a connection; nil if the system does not report it. Calls `getsockopt`.
  init?(connectedTo descriptor: CInt) {
    var (user, group, process) = (UInt32(0), UInt32(0), Int32(0))
    // Safe because the three numbers belong to this call.
    guard unsafe clinux_peer_credentials(descriptor, &user, &group, &process) == 0 else { return nil }
    self.init(user: user, group: group, process: process)
  }
}
