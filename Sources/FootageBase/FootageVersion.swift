/// The version of this Footage.
package enum FootageVersion {
  /// The number of the release: major, minor, patch.
  package static let number = "0.9.0"
}
