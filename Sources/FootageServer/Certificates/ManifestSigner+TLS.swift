internal import FootageLibrary
internal import FootageTLS

extension ManifestSigner {
  /// The key that connections are served with at this moment.
  ///
  /// - Parameter context: nil once the server is gone.
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
