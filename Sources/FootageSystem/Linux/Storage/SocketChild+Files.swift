internal import FootageBase

extension SocketChild {
  /// Sends the child a message, a file to read, and a file to write its answer to.
  ///
  /// - Parameter limits: the time limits for this message.
  /// - Throws: `StorageError`; the child may have ended.
  package func send(
    _ message: [UInt8], reading file: RandomAccessFile, answeringIn answer: MemoryFile, limits: TimeLimits
  ) throws(StorageError) {
    try mapError(
      { (error: SystemError) in StorageError("send to", "a child process", .system(error.number)) },
      try send(message, descriptors: [file.descriptor.number, answer.descriptor.number], limits: limits))
  }
}

extension ParentSocket {
  /// A message with a file to read and one to write the answer to.
  package struct Request {
    package let message: [UInt8]
    package let file: RandomAccessFile
    package let answer: MemoryFile
  }

  /// Returns the next request; nil if there will be none. Blocks.
  package func receive(capacity: Int) -> Request? {
    while let message = receive(capacity: capacity, descriptorCount: 2) {
      let answer =
        message.descriptors.count > 1 ? MemoryFile(FileDescriptor(adopting: message.descriptors[1])) : nil
      guard let first = message.descriptors.first else { continue }
      let file = try? RandomAccessFile(FileDescriptor(adopting: first), path: "the file")
      if let file, let answer { return Request(message: message.bytes, file: file, answer: answer) }
    }
    return nil
  }
}
