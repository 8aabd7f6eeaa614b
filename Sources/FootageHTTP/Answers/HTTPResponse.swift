/// The answer to a request, before ranges and conditions are looked at.
package enum HTTPResponse {
  /// A resource with an entity tag: conditions and ranges apply to it.
  ///
  /// - fields: further ones of this response, also where that is a 304.
  case representation(any ResponseBody, fields: [(name: StaticString, value: String)] = [])
  /// Anything else, as it is.
  case document(HTTPDocument)
}

/// An answer that is no representation of anything, so that it has no entity tag: a refusal, an empty answer.
package struct HTTPDocument: Sendable {
  package var status: HTTPStatus
  package var mediaType: String
  package var bytes: [UInt8]
  /// Further fields, ready for the head: `Allow`, `Retry-After`.
  package var fields: [(name: StaticString, value: String)]

  package init(
    _ status: HTTPStatus, mediaType: String, bytes: [UInt8], fields: [(name: StaticString, value: String)] = []
  ) {
    self.status = status
    self.mediaType = mediaType
    self.bytes = bytes
    self.fields = fields
  }
}
