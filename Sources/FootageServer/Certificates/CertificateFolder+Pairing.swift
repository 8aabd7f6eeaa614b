package import FootageAPI
package import FootageTLS

/// The information in the folder for pairing with the robot.
extension CertificateFolder {
  /// The pins and names by which the robot is known.
  package struct Announcement: Sendable {
    /// The pin of the current key.
    package let pin: PublicKeyPin
    /// The pin of the prepared next key; nil if there is none.
    package let next: PublicKeyPin?
    /// The names and addresses for which the certificate was issued.
    package let names: [Certificate.SubjectName]
  }

  /// Reads the announcement from the certificates, including the next one if there is one. Blocks.
  package func announcement() throws(Failure) -> Announcement {
    let present = try certificate("server.pem")
    var next: PublicKeyPin?
    do throws(Failure) { next = try certificate("server-next.pem").pin } catch {
      guard case .missing = error else { throw error }
    }
    // An interrupted change of keys leaves both certificates with the same key.
    return Announcement(
      pin: present.pin, next: next == present.pin ? nil : next, names: present.certificate.subjectNames)
  }

  private func certificate(_ name: String) throws(Failure) -> (certificate: Certificate, pin: PublicKeyPin) {
    let pem = try read(name)
    do throws(TLSError) {
      guard let first = try Certificate.all(inPEM: pem, what: name).first, let pin = first.publicKeyPin else {
        throw .unreadable(what: name, reason: "its key cannot be read")
      }
      return (first, pin)
    } catch { throw .tls(path: path, error) }
  }
}
