/// The reason why bytes of a body are not available.
package enum ResponseBodyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The promised bytes are no longer there: the file was changed, or is shorter than it was.
  case changed(String)
  /// A read failed, or the program that has the bytes cannot be reached.
  case unreadable(String)
  /// The bytes are stored elsewhere, and cannot be fetched from there.
  case away(String)

  package var description: String {
    switch self {
    case .changed(let reason), .unreadable(let reason), .away(let reason): reason
    }
  }
}

/// The body of a response: bytes of known length that can be read by ranges, repeatedly.
///
/// It is a recording on the server, a recording behind the loopback proxy, or a document. It is used on one loop.
///
/// It is called through a class-bound existential, once per turn of up to 256 KiB. A generic connection would not be
/// specialized across modules, and would cost more than this dynamic call.
package protocol ResponseBody: AnyObject {
  var metadata: RepresentationMetadata { get }

  /// The number of bytes at the start that are held in memory and can never change.
  var memoryPrefixByteCount: UInt64 { get }

  /// Announces that the next reads are for this range, from its start to its end. A body that fetches its bytes can
  /// begin to do so.
  func begin(_ range: Range<UInt64>)

  /// Reports that the peer has left. A waiting `read` then returns promptly, with an error.
  func giveUp()

  /// Reads the available bytes from `offset` on. It never blocks.
  ///
  /// - Returns: the number of bytes in the buffer; 0 if the caller must call `read` to wait for them.
  func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int

  /// Waits for bytes from `offset` on.
  ///
  /// - Returns: at least one byte, and at most `count`.
  func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8]

  /// Waits for bytes from `offset` on, for one of many viewers. The threads that wait for disks are shared fairly among
  /// viewers.
  func read(at offset: UInt64, count: Int, for viewer: Viewer) async throws(ResponseBodyError) -> [UInt8]

  /// The number of bytes that are in memory only for this response and can be made again; 0 if the bytes are elsewhere.
  var remadeByteCount: Int { get }

  /// Releases the bytes that `remadeByteCount` counts. They are made again when more is read.
  func releaseMemory()

  /// Returns true if the bytes read so far after `memoryPrefixByteCount` are still what the head promised. It is called
  /// each time before such bytes are sent.
  func isUnchanged() -> Bool
}

/// The defaults for a body whose bytes are in memory: it has nothing to prepare, cancel, make again or share among
/// viewers.
extension ResponseBody {
  package func read(at offset: UInt64, count: Int, for viewer: Viewer) async throws(ResponseBodyError) -> [UInt8] {
    try await read(at: offset, count: count)
  }
  package func begin(_ range: Range<UInt64>) {}
  package func giveUp() {}
  package var remadeByteCount: Int { 0 }
  package func releaseMemory() {}
}
