/// The facts about a representation that an answer needs: everything except its bytes.

/// The metadata of a representation, created once and kept with it. Its fields are stored as they go into a head. It is
/// a class, so that a request that passes it on counts one reference instead of one for each of its parts.
package final class RepresentationMetadata: Sendable {
  /// The number of bytes.
  package let length: UInt64
  /// The media type (RFC 9110 §8.3.1).
  package let mediaType: String
  /// The entity tag (RFC 9110 §8.8.3).
  package let entityTag: EntityTag
  /// The time of the last change in Unix seconds; nil if unknown.
  package let lastModified: Int64?
  /// The value of `Cache-Control` (RFC 9111 §5.2).
  package let cacheControl: String?

  /// The fields in this order: `Content-Type`, other fields that describe the bytes, fields that are also sent with a
  /// 304, `Last-Modified`, and the beginning of `Content-Range`.
  private let fields: [UInt8]
  private let contentTypeEnd: Int
  private let validatorsStart: Int
  private let lastModifiedStart: Int
  private let contentRangeStart: Int
  /// The bytes of a head between the range and the length: the end of the `Content-Range` line, and the beginning of
  /// the `Content-Length` line.
  private let betweenRangeAndLength: [UInt8]

  /// - Parameters:
  ///   - length: the number of bytes.
  ///   - lastModified: the time of the last change in Unix seconds; nil if unknown.
  ///   - others: further fields of a response with the bytes, such as a page's policy. A 304 omits them, because the
  ///     client already has them (RFC 9110 §15.4.5).
  package init(
    length: UInt64, mediaType: String, entityTag: EntityTag, lastModified: Int64? = nil, cacheControl: String? = nil,
    others: [(name: StaticString, value: String)] = []
  ) {
    self.length = length
    self.mediaType = mediaType
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.cacheControl = cacheControl
    var fields: [UInt8] = []
    fields.append(field: "Content-Type", mediaType)
    contentTypeEnd = fields.count
    for field in others { fields.append(field: field.name, field.value) }
    validatorsStart = fields.count
    fields.append(literal: "Accept-Ranges: bytes\r\nETag: ")
    fields.append(contentsOf: entityTag.bytes)
    fields.append(literal: "\r\n")
    if let cacheControl { fields.append(field: "Cache-Control", cacheControl) }
    lastModifiedStart = fields.count
    if let lastModified {
      fields.append(literal: "Last-Modified: ")
      fields.append(contentsOf: HTTPDate.bytes(unixSeconds: lastModified))
      fields.append(literal: "\r\n")
    }
    contentRangeStart = fields.count
    fields.append(literal: "Content-Range: bytes ")
    self.fields = fields
    var between: [UInt8] = [UInt8(ascii: "/")]
    between.append(decimal: length)
    between.append(literal: "\r\nContent-Length: ")
    betweenRangeAndLength = between
  }

  /// The first of the lines that a head gets.
  enum FirstLine {
    case contentType
    /// The lines after `Content-Type`, for a multipart body, which has a type of its own.
    case others
    /// The lines from `Accept-Ranges` on, for a 304.
    case validators
  }

  /// Returns the lines for a head, beginning with those that `first` selects. After them come `Accept-Ranges`, `ETag`,
  /// `Cache-Control`, and `Last-Modified` unless it is after `now` (RFC 9110 §8.8.2.1).
  func lines(from first: FirstLine, now: Int64) -> ArraySlice<UInt8> {
    let start =
      switch first {
      case .contentType: 0
      case .others: contentTypeEnd
      case .validators: validatorsStart
      }
    return fields[start..<(showsLastModified(now) ? contentRangeStart : lastModifiedStart)]
  }

  /// Appends all fields of a 206 with one range.
  ///
  /// - Parameter range: a range that is not empty and is within the length.
  func appendFields(of range: Range<UInt64>, now: Int64, to bytes: inout [UInt8]) {
    if showsLastModified(now) {
      bytes.append(contentsOf: fields)
    } else {
      bytes.append(contentsOf: fields[..<lastModifiedStart])
      bytes.append(contentsOf: fields[contentRangeStart...])
    }
    bytes.append(decimal: range.lowerBound)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(decimal: range.upperBound - 1)
    bytes.append(contentsOf: betweenRangeAndLength)
    bytes.append(decimal: range.upperBound - range.lowerBound)
    bytes.append(literal: "\r\n")
  }

  private func showsLastModified(_ now: Int64) -> Bool { lastModified.map { $0 <= now } ?? false }
}
