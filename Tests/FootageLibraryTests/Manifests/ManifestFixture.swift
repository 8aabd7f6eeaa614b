import FootageDigest
import FootageAPI
import Foundation
import FootageSystem
import Synchronization
import FootageTLS
import LinuxTestSupport
import Testing

@testable import FootageLibrary

/// A test's signer, whose key may change.
final class TestSigner: Sendable {
  private let context: Mutex<TLSServerContext>
  let signatures = Mutex(0)

  init(_ name: String = "robot") throws { context = Mutex(try Self.context(name)) }

  private static func context(_ name: String) throws -> TLSServerContext {
    try TLSServerContext.make(
      TLSServerConfiguration(
        certificatePEM: try Material.file("\(name).pem"), privateKeyPEM: try Material.file("\(name).key")))
  }

  func promote(_ name: String) throws {
    let next = try Self.context(name)
    context.withLock { $0 = next }
  }

  var pin: PublicKeyPin? { context.withLock { $0.certificate.publicKeyPin } }

  var signer: ManifestSigner {
    get throws(ManifestSigningFailure) {
      let context = context.withLock { $0 }
      do throws(TLSError) {
        return ManifestSigner(key: try context.publicKeyInfo) { [self] (bytes) throws(ManifestSigningFailure) in
          signatures.withLock { $0 += 1 }
          do throws(TLSError) { return try context.sign(bytes) } catch {
            throw ManifestSigningFailure(error.description)
          }
        }
      } catch { throw ManifestSigningFailure(error.description) }
    }
  }
}

extension LibraryFixture {
  func makeManifests(by signer: TestSigner, always: Bool = false) throws {
    try library.makeManifests(always: always) { () throws(ManifestSigningFailure) in try signer.signer }
  }

  /// Asks repeatedly until the manifest is there.
  func manifest(_ name: String, _ urgency: ManifestUrgency = .viewer) throws -> SignedManifest {
    var made: SignedManifest?
    try eventually("the manifest of \(name); \(log.all)") {
      guard let recording = self[name] else { return false }
      if case .ready(let manifest) = try? library.manifest(of: recording, for: urgency) { made = manifest }
      return made != nil
    }
    return try #require(made)
  }

  var manifestNames: [String] {
    let names = (try? FolderListing.entries(of: library.place.heads).compactMap(\.name)) ?? []
    return names.filter { $0.hasSuffix(LibraryPaths.manifestSuffix) }.sorted()
  }
}
