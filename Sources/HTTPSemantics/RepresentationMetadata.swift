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

  /// `Content-Type`, then what goes on a 304 too, then `Last-Modified`.
  private let fields: [UInt8]
  private let contentTypeEnd: Int
  private let lastModifiedStart: Int

  /// - Parameters:
  ///   - length: in bytes.
  ///   - lastModified: in Unix seconds; nil where it is not known.
  package init(
    length: UInt64, mediaType: String, entityTag: EntityTag, lastModified: Int64? = nil, cacheControl: String? = nil
  ) {
    self.length = length
    self.mediaType = mediaType
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.cacheControl = cacheControl
    var fields: [UInt8] = []
    fields.append(field: "Content-Type", mediaType)
    contentTypeEnd = fields.count
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
    self.fields = fields
  }

  /// The lines for a head, ready: `Content-Type` where wanted, `Accept-Ranges`, `ETag`, `Cache-Control`, and
  /// `Last-Modified` where it is not after `now` (RFC 9110 §8.8.2.1).
  func lines(withContentType: Bool, now: Int64) -> ArraySlice<UInt8> {
    let showsLastModified = lastModified.map { $0 <= now } ?? false
    return fields[(withContentType ? 0 : contentTypeEnd)..<(showsLastModified ? fields.count : lastModifiedStart)]
  }
}
