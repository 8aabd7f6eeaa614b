/// The answer to a request, before ranges and conditions are looked at.

package import HTTPSemantics

package enum HTTPResponse {
  /// A resource with an entity tag: conditions and ranges apply to it.
  case representation(any ResponseBody)
  /// Anything else, as it is.
  case document(HTTPDocument)
}

/// An answer that is whole in memory: a list, an error.
package struct HTTPDocument: Sendable {
  package enum Content: Sendable {
    case bytes([UInt8])
    /// For what may be long.
    case remade(RemadeBytes)
  }

  package var status: HTTPStatus
  package var mediaType: String
  package var content: Content
  /// Further fields, ready for the head: `Allow`, `Retry-After`.
  package var fields: [(name: StaticString, value: String)]

  package init(
    _ status: HTTPStatus, mediaType: String, bytes: [UInt8], fields: [(name: StaticString, value: String)] = []
  ) {
    self.init(status, mediaType: mediaType, .bytes(bytes), fields: fields)
  }

  package init(
    _ status: HTTPStatus, mediaType: String, _ content: Content, fields: [(name: StaticString, value: String)] = []
  ) {
    self.status = status
    self.mediaType = mediaType
    self.content = content
    self.fields = fields
  }

  package var byteCount: Int {
    switch content {
    case .bytes(let bytes): bytes.count
    case .remade(let bytes): bytes.count
    }
  }
}
