/// Bytes of known length that can be read at any offset: a file, or memory.
package protocol ByteSource<Failure> {
  /// The error of a read that fails.
  associatedtype Failure: Error & Hashable

  /// The number of bytes.
  var length: UInt64 { get }

  /// Fills the whole buffer with the bytes from `offset` on. May block.
  ///
  /// - Throws: `Failure`, also if the bytes end before the buffer is full.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(Failure)
}

extension ByteSource {
  /// Returns `count` bytes from `offset` on, in an array of their own. May block.
  package func bytes(at offset: UInt64, count: Int) throws(Failure) -> [UInt8] {
    var failure: Failure?
    // Safe because the buffer is the new array's own storage, all of which `read` fills or throws.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(Failure) {
        unsafe try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        initialized = count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// The error of a byte source, carried through code that can read any kind of source.
package struct ReadFailure: Error, Hashable, CustomStringConvertible {
  /// The source's own error, with all its data.
  package let cause: any Error & Hashable

  package init(_ cause: some Error & Hashable) { self.cause = cause }

  package var description: String { "\(cause)" }

  package static func == (one: ReadFailure, other: ReadFailure) -> Bool {
    AnyHashable(one.cause) == AnyHashable(other.cause)
  }

  package func hash(into hasher: inout Hasher) { cause.hash(into: &hasher) }
}
