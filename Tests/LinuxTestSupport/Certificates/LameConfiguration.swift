import Foundation

/// An OpenSSL configuration without the provider that has the algorithms.
package enum LameConfiguration {
  /// Writes the configuration into a folder.
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
