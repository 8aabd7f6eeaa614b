extension RandomAccessFile {
  /// Returns the file system's answer about the processes that write to the file now.
  package func writers() -> WriterAnswer { descriptor.writers() }

  /// Returns true if it is certain that no process has the file open for writing now.
  package func hasNoWriter() -> Bool { writers() == .free }
}
