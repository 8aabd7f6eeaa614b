package import FootageAPI
package import FootageTLS

/// What the folder says to who pairs with the robot.
extension CertificateFolder {
  /// By what the robot is known, and where.
  package struct Announcement: Sendable {
    /// Of the key that it has.
    package let pin: PublicKeyPin
    /// Of the key that was prepared for it; nil where none was.
    package let next: PublicKeyPin?
    /// What its certificate was issued for.
    package let names: [Certificate.SubjectName]
  }

  /// Reads it off the certificates, the next one included where there is one. Blocks.
  package func announcement() throws(Failure) -> Announcement {
    let present = try certificate("server.pem")
    var next: PublicKeyPin?
    do throws(Failure) { next = try certificate("server-next.pem").pin } catch {
      guard case .missing = error else { throw error }
    }
    // A change of keys that was cut off leaves both.
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
