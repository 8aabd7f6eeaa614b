internal import CFootageLinux
internal import Glibc

/// The child's end of the socket to the process that started it.
package struct ParentSocket {
  /// The descriptor under which a child finds its end.
  private static let descriptor: CInt = 3

  package init() {}

  /// A message from the parent.
  package struct Message {
    package let bytes: [UInt8]
    /// The open files, in the order in which they were sent. The receiver has to close them.
    package let descriptors: [CInt]
  }

  /// Removes from all threads of this process every ability that reading files does not need. The process then ignores
  /// the signals that stop a process group, its memory is limited, and all system calls fail except those for reading,
  /// answering, allocating and ending. The kernel ends the process when its parent ends. Call this once, before the
  /// first file, and after everything that has to be loaded was loaded.
  ///
  /// - Parameters:
  ///   - memoryBytes: the most memory that may be allocated.
  ///   - answerBytes: the longest file that may be written.
  package func confine(memoryBytes: UInt64, answerBytes: UInt64) {
    // Even if the kernel has no filters, the child is still a separate process.
    _ = clinux_confine_reader(memoryBytes, answerBytes)
  }

  /// Returns the next message; nil if there will be none. Blocks.
  ///
  /// - Parameters:
  ///   - capacity: the most bytes to accept as one message.
  ///   - descriptorCount: the most open files to accept with the message; any further ones are closed.
  package func receive(capacity: Int, descriptorCount: Int) -> Message? {
    var count = 0
    var descriptors = [CInt](repeating: -1, count: descriptorCount)
    var received: CInt = 0
    // Safe because the call writes at most `capacity` bytes and `descriptorCount` descriptors, and returns how many of
    // each.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      count = unsafe clinux_receive_descriptors(
        Self.descriptor, buffer.baseAddress, capacity, &descriptors, CInt(descriptorCount), &received)
      initialized = max(0, count)
    }
    guard count > 0 else { return nil }
    return Message(bytes: bytes, descriptors: Array(descriptors.prefix(Int(received))))
  }

  /// Sends the reply to the parent. Does not block for long, because the parent is waiting for it.
  package func reply(_ message: [UInt8]) { send(ChildMessage.encodedReply(message)) }

  /// Asks the parent to let this process use more processor time. The parent grants no more than the limit that it set
  /// with its message, and ends this process once it has used more time than was granted.
  ///
  /// - Parameter total: the requested processor time, in nanoseconds since the process began.
  package func askForProcessorTime(until total: Int64) {
    send(ChildMessage.encodedTimeRequest(UInt64(clamping: total)))
  }

  private func send(_ message: [UInt8]) {
    // If the parent does not receive it, the parent has ended, which ends this process.
    _ = unsafe clinux_send_descriptors(Self.descriptor, message, message.count, nil, 0)
  }
}
