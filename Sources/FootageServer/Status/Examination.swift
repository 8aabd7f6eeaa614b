internal import FootageBase
package import FootageServing
internal import FootageSystem
internal import FootageTLS
internal import FootageAPI

/// An examination, without the server, of everything that a server needs, for a person whose server does not start.
package struct Examination {
  private let recordings: String
  private let state: String
  private let certificates: String
  private let address: ListenAddress
  private let clientAuthentication: ClientAuthentication

  /// - Parameters:
  ///   - state: nil for `.footage` in the recordings folder.
  ///   - clientAuthentication: the value of the option; nil for none.
  package init(
    recordings: String, state: String?, certificates: String, address: ListenAddress, clientAuthentication: String?
  ) {
    self.recordings = recordings
    self.state = state ?? "\(recordings)/.footage"
    self.certificates = certificates
    self.address = address
    self.clientAuthentication = clientAuthentication.flatMap(ClientAuthentication.init) ?? .none
  }

  /// Returns the findings that a running server does not report itself. Blocks.
  package func besideServer() -> [Finding] { keyFindings() + nameFindings() + viewerFindings() }

  /// Returns a finding that no server answers, followed by the problems that keep a server from working. Blocks.
  ///
  /// - Parameter reason: the reason why no server could be asked.
  package func withoutServer(_ reason: String) -> [Finding] {
    [
      Finding(
        .failing,
        "No server responds (\(reason)): start it (systemctl start footage, or footage serve), and read its log "
          + "(journalctl -u footage -n 20).")
    ] + folderFindings() + stateFindings() + certificateFindings() + nameFindings() + keyFindings() + viewerFindings()
      + clockFindings() + portFindings()
  }

  private func folderFindings() -> [Finding] {
    do throws(StorageError) {
      let entries = try FolderListing.entries(of: recordings)
      return [
        Finding(.fine, "The recordings folder \(recordings) can be read and has \(entries.count) entries.")
      ] + diskFindings()
    } catch {
      guard error.reason == .system(.notFound) else { return [Finding(.failing, "\(error).")] }
      return [
        Finding(
          .failing,
          "There is no recordings folder \(recordings): mount its disk, create it, or name another one with "
            + "--recordings.")
      ]
    }
  }

  private func diskFindings() -> [Finding] {
    guard let space = try? FolderRoot(recordings).folder("").space() else { return [] }
    let words = "\(HealthText.bytes(space.freeBytes)) of \(HealthText.bytes(space.totalBytes)) are free"
    if space.freeBytes < HealthLimits.fullBytes {
      return [Finding(.failing, "Its disk is full: \(words). Delete recordings that are no longer needed.")]
    }
    guard space.freeBytes < space.totalBytes / HealthLimits.lowDivisor else {
      return [Finding(.fine, "Its disk has enough room: \(words).")]
    }
    return [Finding(.degraded, "Its disk is nearly full: \(words). Delete recordings that are no longer needed.")]
  }

  private func stateFindings() -> [Finding] {
    do throws(StorageError) {
      _ = try TemporaryFile(in: FileTree.exists(state) ? state : FileTree.folder(of: state))
      return [Finding(.fine, "The state folder \(state) can be written.")]
    } catch {
      return [
        Finding(
          .degraded,
          "This user cannot write to the state folder \(state): \(error). This matters only if the server runs as this "
            + "user.")
      ]
    }
  }

  private func certificateFindings() -> [Finding] {
    let folder = CertificateFolder(
      path: certificates, clientAuthentication: clientAuthentication, worksWithoutRevocationList: false)
    let context: TLSServerContext
    do throws(CertificateFolder.Failure) { context = try folder.load(for: .now).context } catch {
      return [Finding(.failing, "The server cannot start without valid certificates: \(error).")]
    }
    let left = context.certificate.notAfter - Clock.system.unixSeconds
    let day = CivilTime(unixSeconds: context.certificate.notAfter).rfc3339.prefix(10)
    guard left > 0 else {
      return [
        Finding(
          .degraded, "The certificate in \(certificates) expired on \(day): renew it (gen-certs.sh keeps its key).")
      ]
    }
    guard left / 86_400 < HealthLimits.certificateDays else {
      return [Finding(.fine, "Key and certificate in \(certificates) belong together and are valid until \(day).")]
    }
    return [
      Finding(.degraded, "The certificate in \(certificates) expires on \(day): renew it (gen-certs.sh keeps its key).")
    ]
  }

  /// Returns the findings about the certificate's names. A certificate contains the name that the machine had when it
  /// was issued, and is easily forgotten when the name changes.
  private func nameFindings() -> [Finding] {
    let folder = CertificateFolder(path: certificates, clientAuthentication: .none)
    guard let announcement = try? folder.announcement() else { return [] }
    guard !announcement.names.isEmpty else { return [Finding(.degraded, "\(folder.namesNobody).")] }
    guard !address.isLoopback, let name = Process.hostName else { return [] }
    return Self.nameFindings(of: announcement.names, hostName: name, in: certificates)
  }

  static func nameFindings(
    of names: [Certificate.SubjectName], hostName: String, in certificates: String
  ) -> [Finding] {
    let all = names.compactMap { if case .host(let host) = $0 { host.lowercased() } else { nil } }
    // A certificate that does not name localhost was not issued for a machine's own names.
    guard all.contains("localhost") else { return [] }
    let hosts = all.filter { $0 != "localhost" && !$0.hasPrefix("*") }
    let label = { (host: String) in String(host.prefix { $0 != "." }) }
    // The certificate may have a fully qualified name while the machine uses only the first label.
    guard let first = hosts.first, !hosts.contains(where: { label($0) == label(hostName.lowercased()) }) else {
      return []
    }
    return [
      Finding(
        .degraded,
        "The certificate in \(certificates) names \(first), but this machine is called \(hostName): browsers that open "
          + "\(hostName).local refuse it. Add the name; key and pin stay the same: gen-certs.sh --out \(certificates) "
          + "--renew --this-host.")
    ]
  }

  private func keyFindings() -> [Finding] {
    let key = "\(certificates)/server.key"
    // Only the server knows which owner is intended, so a key that its group can read is accepted here.
    guard let status = try? FileStatus.of(key, followingLinks: true), status.mode & 0o037 != 0 else { return [] }
    return [
      Finding(
        .degraded,
        "The key \(key) can be read or changed by users other than its owner: "
          + "chmod \(status.secretMode) it.")
    ]
  }

  private func viewerFindings() -> [Finding] {
    guard clientAuthentication == .none, !address.isLoopback else { return [] }
    return [
      Finding(
        .fine,
        "Everyone who can reach port \(address.port) can watch: to require certificates, use --client-auth require.")
    ]
  }

  private func clockFindings() -> [Finding] {
    let now = Clock.system.unixSeconds
    let words = CivilTime(unixSeconds: now).rfc3339
    guard now < Process.buildSeconds else { return [Finding(.fine, "The clock shows \(words).")] }
    return [
      Finding(
        .degraded,
        "The clock shows \(words), before this program was built: set it (timedatectl), or recordings get wrong times.")
    ]
  }

  private func portFindings() -> [Finding] {
    do throws(NetworkingError) {
      for listener in try ListeningSocket.listen(at: address, unsentLimit: 1 << 16) { listener.stop() }
      return [Finding(.fine, "Port \(address.port) is free.")]
    } catch {
      return [
        Finding(
          .failing,
          "\(error): find the program that uses the port (ss -ltnp 'sport = :\(address.port)'), or choose another port "
            + "with --listen.")
      ]
    }
  }
}
