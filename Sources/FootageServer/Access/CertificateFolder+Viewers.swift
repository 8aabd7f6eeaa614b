package import FootageAnswers
internal import FootageSystem
internal import FootageAPI

extension CertificateFolder {
  static let viewersName = "viewers.conf"

  /// Reads the rules for viewers; nil if there is no such file, so that every admitted viewer may see everything.
  /// Blocks.
  ///
  /// - Parameter hadRules: true if there were rules until now. A missing file is then an error, because it was probably
  ///   lost.
  package func viewerRules(hadRules: Bool) throws(Failure) -> ViewerRules? {
    let text: [UInt8]
    do throws(Failure) { text = try read(Self.viewersName, limit: UInt64(ViewerRules.longestText)) } catch .missing(
      let path)
    {
      // A dangling link is not the same as a missing file.
      guard !hadRules, (try? FileStatus.of(path, followingLinks: false)) == nil else { throw .viewersLost(path: path) }
      return nil
    }
    guard clientAuthentication == .require else { throw .viewersUnknown(path: file(Self.viewersName)) }
    do throws(ViewerRules.Fault) { return try ViewerRules(text) } catch {
      throw .viewers(path: file(Self.viewersName), error)
    }
  }
}
