package import FootageBase

/// A body of several ranges, each with its own small head (RFC 9110 §14.6, RFC 2046 §5.1).
package struct MultipartByteRanges: Sendable {
  /// The whole body: delimiters and heads of parts, and between them ranges of the representation, which is source 0.
  package let composition: Composition
  /// The value of `Content-Type`.
  let mediaType: String

  /// - Returns: nil if the length of the body would exceed 64 bits.
  init?(_ ranges: [Range<UInt64>], of metadata: borrowing RepresentationMetadata) {
    let boundary = Self.boundary(for: metadata.entityTag)
    var composition = Composition()
    for range in ranges {
      var head: [UInt8] = []
      head.append(literal: composition.isEmpty ? "--" : "\r\n--")
      head.append(contentsOf: boundary.utf8)
      head.append(literal: "\r\n")
      head.append(field: "Content-Type", metadata.mediaType)
      head.append(contentRange: range, length: metadata.length)
      head.append(literal: "\r\n")
      guard composition.hasRoom(for: UInt64(head.count)) else { return nil }
      composition.append(head)
      guard composition.hasRoom(for: range.upperBound - range.lowerBound) else { return nil }
      composition.append(range)
    }
    let end = Array("\r\n--\(boundary)--\r\n".utf8)
    guard composition.hasRoom(for: UInt64(end.count)) else { return nil }
    composition.append(end)
    self.composition = composition
    mediaType = "multipart/byteranges; boundary=\(boundary)"
  }

  /// Returns a boundary made from the tag, so that the same request gets the same bytes. Because the tag is a digest of
  /// the representation, nobody can make a recording that contains its own boundary.
  private static func boundary(for tag: EntityTag) -> String {
    let hash = FNV1a.hash(tag.bytes[...])
    var text: [UInt8] = []
    text.append(literal: "footage-")
    for shift in stride(from: UInt64(60), through: 0, by: -4) {
      text.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: hash >> shift & 15)))
    }
    return String(decoding: text, as: UTF8.self)
  }
}
