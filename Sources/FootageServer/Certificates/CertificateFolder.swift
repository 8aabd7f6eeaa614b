/// The folder with the server's key and certificate, and with the files that decide which clients are admitted.

package import FootageAnswers
internal import FootageBase
package import FootageSystem
package import FootageTLS
package import FootageAPI

/// A folder of certificates, with the files and names that `gen-certs.sh` writes.
package struct CertificateFolder: Sendable {
  package let path: String
  package let clientAuthentication: ClientAuthentication
  private let worksWithoutRevocationList: Bool

  /// - Parameter worksWithoutRevocationList: true if clients are admitted even if there is no revocation list.
  package init(path: String, clientAuthentication: ClientAuthentication, worksWithoutRevocationList: Bool = false) {
    self.path = path
    self.clientAuthentication = clientAuthentication
    self.worksWithoutRevocationList = worksWithoutRevocationList
  }

  package enum Failure: Error, Sendable, CustomStringConvertible {
    /// A required file does not exist.
    case missing(path: String)
    /// Client certificates are requested, but there is no revocation list.
    case noRevocationList(path: String)
    /// The file `viewers.conf` is invalid.
    case viewers(path: String, ViewerRules.Fault)
    /// The file `viewers.conf` existed before, and is missing now.
    case viewersLost(path: String)
    /// The file `viewers.conf` exists, but clients need not show certificates, so viewers cannot be identified.
    case viewersUnknown(path: String)
    case storage(StorageError)
    case tls(path: String, TLSError)

    package var description: String {
      switch self {
      case .missing(let path):
        "there is no \(path): run scripts/gen-certs.sh to create it, or name another folder with --certs"
      case .noRevocationList(let path):
        """
        there is no \(path), so revoked clients would be admitted: restore it, or create it where client-ca.key is \
        kept (scripts/gen-certs.sh); to accept every certificate of the client authority, serve with --no-crl
        """
      case .viewers(let path, let fault): "\(path), \(fault)"
      case .viewersLost(let path):
        "\(path) no longer exists: restore it, or restart without it to let everyone see everything"
      case .viewersUnknown(let path):
        """
        \(path) limits what viewers may see, which requires client certificates: serve with --client-auth require, or \
        remove the file
        """
      case .storage(let error): error.description
      case .tls(let path, let error): "\(path): \(error)"
      }
    }
  }

  /// The TLS context made from the files, and warnings about them.
  package struct Contents: Sendable {
    package let context: TLSServerContext
    package let warnings: [String]
  }

  static let largestFile: UInt64 = 16 << 20

  /// The warning about a certificate that contains no host names.
  var namesNobody: String {
    "\(file("server.pem")) contains no host name or address (subjectAltName), so browsers and curl refuse it; "
      + "gen-certs.sh --renew --this-host issues one with names and keeps its key"
  }

  /// Reads and checks all files. Blocks.
  ///
  /// - Parameter predecessor: the context whose session tickets stay valid, if the rules of admission have not changed.
  package func load(
    for moment: VerificationTime, succeeding predecessor: TLSServerContext? = nil
  ) throws(Failure) -> Contents {
    var warnings: [String] = []
    let certificate = try read("server.pem")
    let key = try read("server.key")
    if let status = try? FileStatus.of(file("server.key"), followingLinks: true), status.isExposed() {
      warnings.append("\(file("server.key")) can be read by users other than its owner: chmod \(status.secretMode) it")
    }
    var authority: [UInt8]?
    var revoked: [UInt8]?
    if clientAuthentication != .none {
      authority = try read("client-ca.pem")
      revoked = try readRevocationList(hadOne: predecessor?.configuration.revocationListPEM != nil)
    }
    let configuration = TLSServerConfiguration(
      certificatePEM: certificate, privateKeyPEM: key, clientAuthentication: clientAuthentication,
      clientAuthorityPEM: authority, revocationListPEM: revoked, earliestNow: moment.earliest)
    let context: TLSServerContext
    do throws(TLSError) { context = try TLSServerContext.make(configuration, succeeding: predecessor) } catch {
      throw .tls(path: path, error)
    }
    let time = max(moment.clock, moment.earliest)
    if context.certificate.notAfter < time {
      warnings.append(
        """
        the server certificate expired on \(CivilTime(unixSeconds: context.certificate.notAfter).rfc3339): clients that \
        check dates refuse it; scripts/gen-certs.sh renews it and keeps its key
        """)
    }
    if context.certificate.subjectNames.isEmpty { warnings.append(namesNobody) }
    if let expiry = context.revocationListExpiry, expiry < time {
      warnings.append(
        """
        the revocation list expired on \(CivilTime(unixSeconds: expiry).rfc3339): the clients in it are still \
        refused, but renew it with scripts/gen-certs.sh
        """)
    }
    if context.lacksListOfAuthority {
      warnings.append(
        """
        no authority in client-ca.pem issued \(file("client-ca.crl")), so all clients are refused: copy both files \
        from the folder of client-ca.key
        """)
    }
    return Contents(context: context, warnings: warnings)
  }

  /// Reads the revocation list. If a list existed before and is missing now, that is an error, because an operator who
  /// created one did so on purpose.
  private func readRevocationList(hadOne: Bool) throws(Failure) -> [UInt8]? {
    do throws(Failure) { return try read("client-ca.crl") } catch .missing(let path) {
      guard worksWithoutRevocationList, !hadOne else { throw .noRevocationList(path: path) }
      return nil
    }
  }

  /// Returns the versions of the files, which differ after a file was replaced.
  package func state() -> [FileVersion?] {
    ["server.pem", "server.key", "client-ca.pem", "client-ca.crl", Self.viewersName].map { name in
      try? FileStatus.of(file(name), followingLinks: true).version
    }
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// - Parameter limit: the size of the largest file that is read, in bytes.
  func read(_ name: String, limit: UInt64 = largestFile) throws(Failure) -> [UInt8] {
    let path = file(name)
    do throws(StorageError) {
      // Links are allowed: anyone who can write to this folder can replace the key anyway.
      let file = try RandomAccessFile(path: path, followingLinks: true)
      guard file.length <= limit else { throw StorageError("read", path, .wrongKind("too large")) }
      return try file.bytes(at: 0, count: Int(file.length))
    } catch {
      throw error.reason == .system(.notFound) ? .missing(path: path) : .storage(error)
    }
  }
}
