/// Which Footage this is.
package enum FootageVersion {
  /// As a release is called: major, minor, patch.
  package static let number = "0.9.0"
}
