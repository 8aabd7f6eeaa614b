/// The limits on the size of a manifest, which a reader may have received from anyone.
package enum ManifestLimits {
  /// The most bytes of the two lines of a manifest file. The manifest of a recording of half a terabyte has that many.
  package static let bytes = 96 << 20
  /// The most values of the JSON, counted by its commas. Values need more of a reader's memory than the text does.
  static let values = 1_500_000
  /// The greatest number of mebibytes in all objects of one manifest together, each of which has a digest.
  package static let mebibytes = 1 << 20
  /// The most slices of the composition.
  package static let slices = 1 << 16
  /// The most bytes of the second line. A signature on P-384 has at most 104 bytes (RFC 3279 §2.2.3), here in base64.
  static let signature = 256
  /// The most bytes of the public key. On P-384 it has 120.
  static let key = 256
  /// The most parts in the upload of one object, which is S3's limit.
  package static let parts: UInt64 = 10_000
}
