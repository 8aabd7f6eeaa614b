package import FootageBase

/// The identity of a client for limits that count per viewer, over all of its connections.
package enum Viewer: Hashable, Sendable {
  /// A viewer with a certificate, identified by the name in it.
  case certificate(String)
  case thisMachine
  case network(AddressBlock)
}
