package import HTTPSemantics

/// A document as a representation: a page, a list. Belongs to its loop's thread.
package final class DocumentBody: ResponseBody {
  package let metadata: RepresentationMetadata
  /// Nil where the bytes are there all the time.
  private let remake: (() -> [UInt8])?
  private var bytes: [UInt8]?

  /// A document that others hold as well.
  ///
  /// - Parameter metadata: its length is that of the bytes.
  package init(_ bytes: [UInt8], _ metadata: RepresentationMetadata) {
    self.bytes = bytes
    self.metadata = metadata
    remake = nil
  }

  /// A document that may be long, and is not kept in memory for a peer that takes its time.
  ///
  /// - Parameters:
  ///   - bytes: as they were made just now.
  ///   - remake: makes the same bytes again.
  package init(_ bytes: [UInt8], _ metadata: RepresentationMetadata, remade remake: @escaping () -> [UInt8]) {
    self.bytes = bytes
    self.metadata = metadata
    self.remake = remake
  }

  package var memoryPrefixByteCount: UInt64 { metadata.length }
  package var remadeByteCount: Int { remake == nil ? 0 : bytes?.count ?? 0 }
  package func isUnchanged() -> Bool { true }

  package func releaseMemory() {
    if remake != nil { bytes = nil }
  }

  package func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int {
    let bytes = try wholeBytes()
    let part = Self.part(of: bytes, from: offset, count: buffer.count)
    // Safe because the part is no longer than the buffer.
    unsafe bytes[part].withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
    return part.count
  }

  /// Never waits, and is not asked: all of it is at hand.
  package func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8] {
    let bytes = try wholeBytes()
    return Array(bytes[Self.part(of: bytes, from: offset, count: count)])
  }

  /// Made now, where they were let go.
  private func wholeBytes() throws(ResponseBodyError) -> [UInt8] {
    let whole = bytes ?? remake?() ?? []
    guard UInt64(whole.count) == metadata.length else { throw .changed("the document has become another one") }
    bytes = whole
    return whole
  }

  private static func part(of bytes: [UInt8], from offset: UInt64, count: Int) -> Range<Int> {
    let start = Int(min(offset, UInt64(bytes.count)))
    return start..<(start + min(count, bytes.count - start))
  }
}
