/// Why bytes of a body cannot be had.
package enum ResponseBodyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was promised is no longer there: the file was changed, or ends before its time.
  case changed(String)
  /// A read failed, or whoever has the bytes cannot be reached.
  case unreadable(String)
  /// It is kept elsewhere, and does not come from there.
  case away(String)

  package var description: String {
    switch self {
    case .changed(let reason), .unreadable(let reason), .away(let reason): reason
    }
  }
}

/// What a response is made of: bytes of known length that can be read by ranges, again and again.
///
/// A recording on the server, one behind the loopback proxy, or a document. Used on one loop.
///
/// It is reached through a class-bound existential, once a turn of up to 256 KiB: across modules a generic connection
/// would not be specialised, and cost more than the table look-up.
package protocol ResponseBody: AnyObject {
  var metadata: RepresentationMetadata { get }

  /// So many bytes at the start are held in memory and can never become others.
  var memoryPrefixByteCount: UInt64 { get }

  /// The next reads are for this range, from its start to its end: who has to fetch the bytes can begin.
  func begin(_ range: Range<UInt64>)

  /// The peer has left: a `read` that waits returns promptly, with an error.
  func giveUp()

  /// Reads what is at hand from `offset` on. Never blocks.
  ///
  /// - Returns: how many bytes are in the buffer; 0 where they have to be waited for.
  func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int

  /// Waits for bytes from `offset` on.
  ///
  /// - Returns: at least one byte, `count` at most.
  func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8]

  /// The same for one of many viewers, between whom threads that wait for a disk are shared fairly.
  func read(at offset: UInt64, count: Int, for viewer: Viewer) async throws(ResponseBodyError) -> [UInt8]

  /// How many bytes it keeps in memory for this one response, and would make again; 0 for what has its bytes elsewhere.
  var remadeByteCount: Int { get }

  /// Lets go of those bytes. They are made again when more is read.
  func releaseMemory()

  /// Whether what was read behind the steady bytes until now is still what the head promised. Asked once before each
  /// time such bytes are sent.
  func isUnchanged() -> Bool
}

/// What has its bytes at hand has nothing to prepare, nothing to give up, and nothing to make again, and nothing to share
/// between viewers.
extension ResponseBody {
  package func read(at offset: UInt64, count: Int, for viewer: Viewer) async throws(ResponseBodyError) -> [UInt8] {
    try await read(at: offset, count: count)
  }
  package func begin(_ range: Range<UInt64>) {}
  package func giveUp() {}
  package var remadeByteCount: Int { 0 }
  package func releaseMemory() {}
}
