import Foundation

/// Returns the lines that a person types, until the input ends.
func typedLines() -> AsyncStream<String> {
  AsyncStream { lines in
    Thread.detachNewThread {
      while let line = readLine() { lines.yield(line) }
      lines.finish()
    }
  }
}

/// Returns the next typed line; nil if the input has ended.
func typedLine() async -> String? {
  var lines = typedLines().makeAsyncIterator()
  return await lines.next()
}
