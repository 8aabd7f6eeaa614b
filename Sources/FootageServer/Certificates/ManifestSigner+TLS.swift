internal import FootageLibrary
internal import FootageTLS

extension ManifestSigner {
  /// Creates a signer with the key that is currently used for connections.
  ///
  /// - Parameter context: the context in use; nil after the server has stopped.
  init(of context: TLSServerContext?) throws(ManifestSigningFailure) {
    guard let context else { throw ManifestSigningFailure("the server has stopped") }
    do throws(TLSError) {
      try context.checkSigning()
      self.init(key: try context.publicKeyInfo) { (bytes) throws(ManifestSigningFailure) in
        do throws(TLSError) { return try context.sign(bytes) } catch {
          throw ManifestSigningFailure(error.description)
        }
      }
    } catch { throw ManifestSigningFailure(error.description) }
  }
}
