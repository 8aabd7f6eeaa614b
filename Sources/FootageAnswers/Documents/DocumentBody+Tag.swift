package import FootageBase
internal import FootageDigest
package import FootageHTTP

extension DocumentBody {
  /// Creates a JSON document. Its bytes are made now, and made again if they are needed after they were released. Its
  /// tag is made from its bytes. A cache that keeps the document has to check it with the server each time.
  ///
  /// - Parameters:
  ///   - isShared: true if a cache may keep it for other clients.
  ///   - make: returns the same bytes each time.
  package convenience init(isShared: Bool, json make: @escaping () -> [UInt8]) {
    let bytes = make()
    self.init(bytes, Self.metadata(of: bytes, Self.tag(of: bytes), isShared), remade: make)
  }

  /// Creates a JSON document whose bytes take too long to make on an event loop.
  ///
  /// - Parameters:
  ///   - bytes: the bytes as they were just made, followed by their tag.
  ///   - make: makes the same bytes again on another thread, and returns them.
  package convenience init(
    json bytes: [UInt8], _ tag: EntityTag, isShared: Bool, remadeElsewhere make: @escaping () async -> [UInt8]
  ) {
    self.init(bytes, Self.metadata(of: bytes, tag, isShared), remadeElsewhere: make)
  }

  /// Creates a JSON document from bytes that were just made, and keeps them for as long as they are being sent.
  ///
  /// - Parameter counted: an object that is released when the document has been sent.
  package convenience init(_ json: [UInt8], _ tag: EntityTag, isShared: Bool, counted: AnyObject? = nil) {
    self.init(json, Self.metadata(of: json, tag, isShared), counted: counted)
  }

  private static func metadata(
    of bytes: [UInt8], _ tag: EntityTag, _ isShared: Bool
  ) -> RepresentationMetadata {
    RepresentationMetadata(
      length: UInt64(bytes.count), mediaType: "application/json", entityTag: tag,
      cacheControl: Cacheability.revalidated(isShared: isShared).text)
  }

  /// Returns a strong tag (RFC 9110 §8.8.3): different bytes have different tags.
  package static func tag(of bytes: [UInt8]) -> EntityTag { EntityTag(digest: SHA256.hash(bytes).prefix(16)) }
}

extension JSONWriter {
  /// The text as a document, which ends with a line feed.
  package var document: [UInt8] { bytes + [UInt8(ascii: "\n")] }
}
