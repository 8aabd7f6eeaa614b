extension RandomAccessFile {
  /// What the file system says of those that write to it just now.
  package func writers() -> WriterAnswer { descriptor.writers() }

  /// Whether it is certain that nobody has the file open for writing just now.
  package func hasNoWriter() -> Bool { writers() == .free }
}
