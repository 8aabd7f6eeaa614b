/// What the responder has to know of a representation: everything but its bytes.

/// Made once and kept with the representation: its fields lie ready as they go into a head. A class, so that a request
/// that hands it on counts one reference instead of one for each of its parts.
package final class RepresentationMetadata: Sendable {
  /// In bytes.
  package let length: UInt64
  /// RFC 9110 §8.3.1.
  package let mediaType: String
  /// RFC 9110 §8.8.3.
  package let entityTag: EntityTag
  /// In Unix seconds.
  package let lastModified: Int64?
  /// RFC 9111 §5.2.
  package let cacheControl: String?

  /// `Content-Type`, then what else describes the bytes, then what goes on a 304 too, then `Last-Modified`, then the
  /// beginning of `Content-Range`.
  private let fields: [UInt8]
  private let contentTypeEnd: Int
  private let validatorsStart: Int
  private let lastModifiedStart: Int
  private let contentRangeStart: Int
  /// The end of `Content-Range`, and the beginning of `Content-Length`.
  private let betweenRangeAndLength: [UInt8]

  /// - Parameters:
  ///   - length: in bytes.
  ///   - lastModified: in Unix seconds; nil where it is not known.
  ///   - others: further fields of a response that has the bytes, such as a page's policy. A 304 leaves them out, for
  ///     the client has them (RFC 9110 §15.4.5).
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

  /// Where the lines of a head begin.
  enum FirstLine {
    case contentType
    /// For a multipart body, which has a type of its own.
    case others
    /// For a 304.
    case validators
  }

  /// The lines for a head, ready: `Accept-Ranges`, `ETag`, `Cache-Control`, and `Last-Modified` where it is not after
  /// `now` (RFC 9110 §8.8.2.1); before them those from `first` on.
  func lines(from first: FirstLine, now: Int64) -> ArraySlice<UInt8> {
    let start =
      switch first {
      case .contentType: 0
      case .others: contentTypeEnd
      case .validators: validatorsStart
      }
    return fields[start..<(showsLastModified(now) ? contentRangeStart : lastModifiedStart)]
  }

  /// All fields of a 206 with one range.
  ///
  /// - Parameter range: not empty, and within the length.
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
