package import FootageBase

/// Who asks, as far as what one viewer may have is counted, over all of its connections.
package enum Viewer: Hashable, Sendable {
  /// By the name in its certificate.
  case certificate(String)
  case thisMachine
  case network(AddressBlock)
}
