/// The answer to a request, before ranges and conditions are evaluated.
package enum HTTPResponse {
  /// A resource with an entity tag, to which conditions and ranges apply.
  ///
  /// - fields: further fields of this response, which a 304 gets as well.
  case representation(any ResponseBody, fields: [(name: StaticString, value: String)] = [])
  /// Any other answer, sent unchanged.
  case document(HTTPDocument)
}

/// An answer that is not a representation and therefore has no entity tag, such as a refusal or an empty answer.
package struct HTTPDocument: Sendable {
  package var status: HTTPStatus
  package var mediaType: String
  package var bytes: [UInt8]
  /// Further fields for the head, such as `Allow` or `Retry-After`.
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
