import Foundation

/// What is typed, line by line, until the input ends.
func typedLines() -> AsyncStream<String> {
  AsyncStream { lines in
    Thread.detachNewThread {
      while let line = readLine() { lines.yield(line) }
      lines.finish()
    }
  }
}

/// One line of it; nil where the input has ended.
func typedLine() async -> String? {
  var lines = typedLines().makeAsyncIterator()
  return await lines.next()
}
