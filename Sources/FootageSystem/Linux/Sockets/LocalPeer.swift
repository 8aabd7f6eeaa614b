internal import CFootageLinux

/// Who connected to a socket with a path, as the kernel says (man 7 unix, `SO_PEERCRED`): what he was then.
package struct LocalPeer: Hashable, Sendable {
  /// The number of the user that the process acts for, as this process's own user namespace has it.
  package let user: UInt32
  package let group: UInt32
  /// 0 where it is in another namespace of processes.
  package let process: Int32

  package init(user: UInt32, group: UInt32, process: Int32) {
    self.user = user
    self.group = group
    self.process = process
  }

  /// Of a connection; nil where the system does not say. Calls `getsockopt`.
  init?(connectedTo descriptor: CInt) {
    var (user, group, process) = (UInt32(0), UInt32(0), Int32(0))
    // Safe because the three numbers are the caller's own.
    guard unsafe clinux_peer_credentials(descriptor, &user, &group, &process) == 0 else { return nil }
    self.init(user: user, group: group, process: process)
  }
}
