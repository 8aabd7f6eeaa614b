import Foundation

/// A configuration of OpenSSL's that leaves out the provider that has the algorithms.
package enum LameConfiguration {
  /// Writes one into a folder.
  ///
  /// - Returns: its path.
  package static func write(into folder: TemporaryFolder) throws -> String {
    let contents = """
      openssl_conf = start
      [start]
      providers = some
      [some]
      base = active
      [active]
      activate = 1

      """
    let path = folder.path("openssl.cnf")
    try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }
}
