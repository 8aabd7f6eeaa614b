/// A document as a representation, such as a page or a list. It belongs to its loop's thread.
package final class DocumentBody: ResponseBody {
  package let metadata: RepresentationMetadata
  private enum Remaking {
    /// The document keeps its bytes in memory.
    case never
    case atOnce(() -> [UInt8])
    case elsewhere(() async -> [UInt8])
  }

  private let remaking: Remaking
  private var bytes: [UInt8]?
  /// An object that is released together with this document, so that its owner can count the documents.
  private let counted: AnyObject?

  /// Creates a document whose bytes other objects hold as well.
  ///
  /// - Parameters:
  ///   - metadata: the metadata, with the length of the bytes.
  ///   - counted: an object that is released together with the document.
  package init(_ bytes: [UInt8], _ metadata: RepresentationMetadata, counted: AnyObject? = nil) {
    self.bytes = bytes
    self.metadata = metadata
    self.counted = counted
    remaking = .never
  }

  /// Creates a document that may be long, so that its bytes are not kept in memory for a slow peer.
  ///
  /// - Parameters:
  ///   - bytes: the bytes as they were just made.
  ///   - remake: makes the same bytes again.
  package init(_ bytes: [UInt8], _ metadata: RepresentationMetadata, remade remake: @escaping () -> [UInt8]) {
    self.bytes = bytes
    self.metadata = metadata
    counted = nil
    remaking = .atOnce(remake)
  }

  /// Creates a document that may be long, and whose bytes take too long to make on an event loop.
  ///
  /// - Parameter remake: makes the same bytes again, on another thread.
  package init(
    _ bytes: [UInt8], _ metadata: RepresentationMetadata, remadeElsewhere remake: @escaping () async -> [UInt8]
  ) {
    self.bytes = bytes
    self.metadata = metadata
    counted = nil
    remaking = .elsewhere(remake)
  }

  package var memoryPrefixByteCount: UInt64 { metadata.length }
  package var remadeByteCount: Int {
    if case .never = remaking { 0 } else { bytes?.count ?? 0 }
  }
  package func isUnchanged() -> Bool { true }

  package func releaseMemory() {
    if case .never = remaking { return }
    bytes = nil
  }

  package func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int {
    guard let bytes = try bytesAtHand() else { return 0 }
    let part = Self.part(of: bytes, from: offset, count: buffer.count)
    // Safe because the part is no longer than the buffer.
    unsafe bytes[part].withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
    return part.count
  }

  /// Reads bytes. It waits only if they must be made again on another thread.
  package func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8] {
    let bytes: [UInt8]
    if let held = try bytesAtHand() {
      bytes = held
    } else if case .elsewhere(let remake) = remaking {
      bytes = try whole(await remake())
    } else {
      throw .unreadable("the document is not in memory")
    }
    return Array(bytes[Self.part(of: bytes, from: offset, count: count)])
  }

  /// Returns the bytes, which are made again if they were released. Returns nil if only another thread can make them
  /// again.
  private func bytesAtHand() throws(ResponseBodyError) -> [UInt8]? {
    if let bytes { return bytes }
    guard case .atOnce(let remake) = remaking else { return nil }
    return try whole(remake())
  }

  private func whole(_ made: [UInt8]) throws(ResponseBodyError) -> [UInt8] {
    guard UInt64(made.count) == metadata.length else { throw .changed("the document has changed") }
    bytes = made
    return made
  }

  private static func part(of bytes: [UInt8], from offset: UInt64, count: Int) -> Range<Int> {
    let start = Int(min(offset, UInt64(bytes.count)))
    return start..<(start + min(count, bytes.count - start))
  }
}
