package import FootageBase
internal import FootageDigest
package import FootageHTTP

extension DocumentBody {
  /// A document of JSON, made now, and again where it was not kept; tagged by its bytes, and never kept without asking.
  ///
  /// - Parameters:
  ///   - isShared: whether a cache may keep it for others.
  ///   - make: the same bytes each time.
  package convenience init(isShared: Bool, json make: @escaping () -> [UInt8]) {
    let bytes = make()
    self.init(bytes, Self.metadata(of: bytes, Self.tag(of: bytes), isShared), remade: make)
  }

  /// The same for what takes too long to be made on a loop.
  ///
  /// - Parameters:
  ///   - bytes: as they were made just now, and their tag.
  ///   - make: the same bytes each time; waits for them.
  package convenience init(
    json bytes: [UInt8], _ tag: EntityTag, isShared: Bool, remadeElsewhere make: @escaping () async -> [UInt8]
  ) {
    self.init(bytes, Self.metadata(of: bytes, tag, isShared), remadeElsewhere: make)
  }

  /// The same as it was made just now, kept for as long as it is sent.
  ///
  /// - Parameter counted: let go when it was sent.
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

  /// Strong (RFC 9110 §8.8.3): other bytes have another tag.
  package static func tag(of bytes: [UInt8]) -> EntityTag { EntityTag(digest: SHA256.hash(bytes).prefix(16)) }
}

extension JSONWriter {
  /// The text as a document, which ends with its line.
  package var document: [UInt8] { bytes + [UInt8(ascii: "\n")] }
}
