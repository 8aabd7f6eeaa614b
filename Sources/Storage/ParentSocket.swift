/// The child's end of the socket to the process that started it.

internal import CLinux
internal import Glibc

package struct ParentSocket {
  /// The descriptor that a child finds its end under.
  private static let descriptor: CInt = 3

  package init() {}

  package struct Request {
    package let message: [UInt8]
    package let file: RandomAccessFile
    package let answer: MemoryFile
  }

  /// Gives up everything that reading files does not need: signals that stop a group, memory beyond a limit, and all
  /// system calls but those for reading, answering and allocating. The process ends when its parent does. To be called
  /// once, before the first file, and after everything was loaded that has to be.
  ///
  /// - Parameter memoryBytes: the most that may be allocated.
  package func confine(memoryBytes: UInt64, answerBytes: UInt64) {
    unsafe clinux_name_thread("footage-reader")
    clinux_ignore_stop_signals()
    _ = clinux_end_with_peer(Self.descriptor)
    guard clinux_is_sanitized() == 0 else { return }
    _ = clinux_limit_resources(memoryBytes, answerBytes)
    // A kernel without filters leaves a child that is a process of its own all the same.
    _ = clinux_forbid_system_calls()
  }

  /// The next file to read; nil where there will be none. Blocks.
  package func receive(capacity: Int) -> Request? {
    while true {
      var count = 0
      var descriptors: [CInt] = [-1, -1]
      var descriptorCount: CInt = 0
      // Safe because the call writes at most `capacity` bytes and two descriptors, and says how many of each.
      let message = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
        count = unsafe clinux_receive_descriptors(
          Self.descriptor, buffer.baseAddress, capacity, &descriptors, 2, &descriptorCount)
        initialized = max(0, count)
      }
      guard count > 0 else { return nil }
      let answer = descriptorCount > 1 ? MemoryFile(adopting: descriptors[1]) : nil
      guard descriptorCount > 0 else { continue }
      let file = try? RandomAccessFile(adopting: descriptors[0], path: "the file")
      if let file, let answer { return Request(message: message, file: file, answer: answer) }
    }
  }

  /// Says that the answer is written. Does not block for long: the parent waits for it.
  package func reply(_ message: [UInt8]) {
    _ = unsafe clinux_send_descriptors(Self.descriptor, message, message.count, nil, 0)
  }

  /// The process ends when it has used so much more processor time; nil takes the limit back.
  package func limitProcessorTime(milliseconds: UInt64?) {
    _ = clinux_limit_processor_time(milliseconds ?? 0)
  }
}
