internal import CFootageLinux
internal import Glibc

/// The child's end of the socket to the process that started it.
package struct ParentSocket {
  /// The descriptor that a child finds its end under.
  private static let descriptor: CInt = 3

  package init() {}

  /// What the parent has sent.
  package struct Message {
    package let bytes: [UInt8]
    /// Open files, in the order in which they were sent; the receiver's own.
    package let descriptors: [CInt]
  }

  /// Gives up everything that reading files does not need, in every thread: signals that stop a group, memory beyond a
  /// limit, and all system calls but those for reading, answering and allocating. The kernel ends the process when its
  /// parent does. To be called once, before the first file, and after everything was loaded that has to be.
  ///
  /// - Parameters:
  ///   - memoryBytes: the most that may be allocated.
  ///   - answerBytes: the longest file that may be written.
  package func confine(memoryBytes: UInt64, answerBytes: UInt64) {
    // A kernel without filters leaves a child that is a process of its own all the same.
    _ = clinux_confine_reader(memoryBytes, answerBytes)
  }

  /// The next message; nil where there will be none. Blocks.
  ///
  /// - Parameters:
  ///   - capacity: the most bytes that are taken of it.
  ///   - descriptorCount: the most open files that are taken of it; others are closed.
  package func receive(capacity: Int, descriptorCount: Int) -> Message? {
    var count = 0
    var descriptors = [CInt](repeating: -1, count: descriptorCount)
    var received: CInt = 0
    // Safe because the call writes at most `capacity` bytes and so many descriptors, and says how many of each.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      count = unsafe clinux_receive_descriptors(
        Self.descriptor, buffer.baseAddress, capacity, &descriptors, CInt(descriptorCount), &received)
      initialized = max(0, count)
    }
    guard count > 0 else { return nil }
    return Message(bytes: bytes, descriptors: Array(descriptors.prefix(Int(received))))
  }

  /// Says that the answer is written. Does not block for long: the parent waits for it.
  package func reply(_ message: [UInt8]) { send(ChildMessage.encodedReply(message)) }

  /// Asks the parent for processor time, which ends this process once that has used more. It gives no more than it
  /// meant to when it sent its message.
  ///
  /// - Parameter total: nanoseconds since the process began.
  package func askForProcessorTime(until total: Int64) {
    send(ChildMessage.encodedTimeRequest(UInt64(clamping: total)))
  }

  private func send(_ message: [UInt8]) {
    // Whoever does not receive it has ended, and ends this process.
    _ = unsafe clinux_send_descriptors(Self.descriptor, message, message.count, nil, 0)
  }
}
