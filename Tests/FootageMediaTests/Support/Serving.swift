/// A conversion of a file in memory to the bytes that are served.

import FootageBase
import FootageMedia

extension MovieIndex {
  /// Returns all served bytes, from the source's bytes.
  func served(from source: [UInt8]) -> [UInt8] {
    var bytes = preamble
    for range in body { bytes += source[Int(range.lowerBound)..<Int(range.upperBound)] }
    return bytes
  }
}

/// Returns the index of a file that must be servable.
func index(of bytes: [UInt8]) throws -> MovieIndex {
  switch try MovieIndex.make(of: MemoryByteSource(bytes)) {
  case .ready(let index): return index
  case .incomplete(let error): throw error
  }
}
