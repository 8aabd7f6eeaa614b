/// A body of several ranges, each with its own small head.

internal import Formats

/// RFC 9110 §14.6, RFC 2046 §5.1.
package struct MultipartByteRanges: Sendable {
  /// A stretch of the body.
  package enum Part: Hashable, Sendable {
    /// These bytes as they are: delimiters and part heads.
    case bytes([UInt8])
    /// Bytes of the representation, never empty.
    case range(Range<UInt64>)
  }

  /// In the order in which they are sent.
  package let parts: [Part]
  /// Of the whole body, in bytes.
  package let length: UInt64
  /// The value of `Content-Type`.
  let mediaType: String

  /// - Returns: nil where the body would be longer than 64 bits can say.
  init?(_ ranges: [Range<UInt64>], of metadata: borrowing RepresentationMetadata) {
    let boundary = Self.boundary(for: metadata.entityTag)
    var parts: [Part] = []
    var length: UInt64 = 0
    func add(_ part: Part, _ count: UInt64) -> Bool {
      parts.append(part)
      let (sum, overflow) = length.addingReportingOverflow(count)
      length = sum
      return !overflow
    }
    for range in ranges {
      var head: [UInt8] = []
      head.append(literal: parts.isEmpty ? "--" : "\r\n--")
      head.append(contentsOf: boundary.utf8)
      head.append(literal: "\r\n")
      head.append(field: "Content-Type", metadata.mediaType)
      head.append(contentRange: range, length: metadata.length)
      head.append(literal: "\r\n")
      guard add(.bytes(head), UInt64(head.count)), add(.range(range), range.upperBound - range.lowerBound) else {
        return nil
      }
    }
    let end = Array("\r\n--\(boundary)--\r\n".utf8)
    guard add(.bytes(end), UInt64(end.count)) else { return nil }
    self.parts = parts
    self.length = length
    mediaType = "multipart/byteranges; boundary=\(boundary)"
  }

  /// From the tag, so that the same request gets the same bytes; and since the tag is a digest of the representation,
  /// nobody writes a recording that holds its own boundary (FNV-1a, 64 bits).
  private static func boundary(for tag: EntityTag) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in tag.bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    var text: [UInt8] = []
    text.append(literal: "footage-")
    for shift in stride(from: UInt64(60), through: 0, by: -4) {
      text.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: hash >> shift & 15)))
    }
    return String(decoding: text, as: UTF8.self)
  }
}
