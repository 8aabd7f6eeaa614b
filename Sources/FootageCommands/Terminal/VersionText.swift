internal import CFootageBuild
internal import FootageBase
internal import FootageSystem
internal import FootageTLS

/// What `footage --version` prints: this program, and what it was built of and runs with.
enum VersionText {
  static var text: String {
    """
    footage \(FootageVersion.number) (\(commit.isEmpty ? "commit unknown" : "commit \(commit)"))
    Swift \(swift), OpenSSL \(OpenSSLLibrary.version), SQLite \(SQLiteLibrary.version)

    """
  }

  private static var commit: String {
    // Safe because it is a literal that ends in a zero.
    unsafe String(cString: cbuild_commit())
  }

  /// Of the standard library that runs, major and minor: it does not know its patch.
  private static var swift: String {
    _SwiftStdlibVersion.current.description.split(separator: ".").prefix(2).joined(separator: ".")
  }
}
