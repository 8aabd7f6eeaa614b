/// How large a manifest may be: whoever reads one may have it from anybody.
package enum ManifestLimits {
  /// Of both lines, in bytes: that of a recording of half a terabyte has as much.
  package static let bytes = 96 << 20
  /// Values of its JSON, by the commas between them: they cost a reader more memory than the text does.
  static let values = 1_500_000
  /// Digests of mebibytes in all.
  package static let mebibytes = 1 << 20
  /// Slices of the composition.
  package static let slices = 1 << 16
  /// Of the second line, in bytes: a signature on P-384 has 104 bytes at most (RFC 3279 §2.2.3), in base64.
  static let signature = 256
  /// Of the public key, in bytes: on P-384 it has 120.
  static let key = 256
  /// Parts of the upload of one object, as S3 has it.
  package static let parts: UInt64 = 10_000
}
