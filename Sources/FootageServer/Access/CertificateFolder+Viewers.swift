package import FootageAnswers
internal import FootageSystem
internal import FootageAPI

extension CertificateFolder {
  static let viewersName = "viewers.conf"

  /// Reads who may see what; nil where there is no such file, so that whoever comes in may see everything. Blocks.
  ///
  /// - Parameter hadRules: whether there were rules until now. A file that is gone was lost then, and not meant.
  package func viewerRules(hadRules: Bool) throws(Failure) -> ViewerRules? {
    let text: [UInt8]
    do throws(Failure) { text = try read(Self.viewersName, limit: UInt64(ViewerRules.longestText)) } catch .missing(
      let path)
    {
      // A link to nothing is not the same as nothing.
      guard !hadRules, (try? FileStatus.of(path, followingLinks: false)) == nil else { throw .viewersLost(path: path) }
      return nil
    }
    guard clientAuthentication == .require else { throw .viewersUnknown(path: file(Self.viewersName)) }
    do throws(ViewerRules.Fault) { return try ViewerRules(text) } catch {
      throw .viewers(path: file(Self.viewersName), error)
    }
  }
}
