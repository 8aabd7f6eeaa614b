/// From a file in memory to what is served of it.

import FootageBase
import FootageMedia

extension MovieIndex {
  /// All bytes that are served, from the source's bytes.
  func served(from source: [UInt8]) -> [UInt8] {
    var bytes = preamble
    for range in body { bytes += source[Int(range.lowerBound)..<Int(range.upperBound)] }
    return bytes
  }
}

/// The index of a file that has to be served.
func index(of bytes: [UInt8]) throws -> MovieIndex {
  switch try MovieIndex.make(of: MemoryByteSource(bytes)) {
  case .ready(let index): return index
  case .incomplete(let error): throw error
  }
}
