/// The smallest block of addresses that one user of a network has: one IPv4 address, or a 64-bit IPv6 network (RFC 4291
/// §2.5.4).
package struct AddressBlock: Hashable, Sendable {
  private let bits: UInt64
  private let isIPv6: Bool

  /// - Parameter addressBytes: in network byte order: 4 bytes, or 16.
  package init(_ addressBytes: [UInt8]) {
    bits = addressBytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    isIPv6 = addressBytes.count == 16
  }
}
