internal import CFootageBuild
internal import FootageBase
internal import FootageSystem
internal import FootageTLS

/// The output of `footage --version`: the version of this program, the commit that it was built from, and the libraries
/// that it runs with.
enum VersionText {
  static var text: String {
    """
    footage \(FootageVersion.number) (\(commit.isEmpty ? "commit unknown" : "commit \(commit)"))
    Swift \(swift), OpenSSL \(OpenSSLLibrary.version), SQLite \(SQLiteLibrary.version)

    """
  }

  private static var commit: String {
    // Safe because it is a literal that ends with a zero.
    unsafe String(cString: cbuild_commit())
  }

  /// The major and minor version of the Swift standard library that runs. The library does not know its patch version.
  private static var swift: String {
    _SwiftStdlibVersion.current.description.split(separator: ".").prefix(2).joined(separator: ".")
  }
}
