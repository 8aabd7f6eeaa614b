/// The app's own identity, as Security opens it.
import Foundation
import Security
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageFetching

@Suite(.serialized) struct IdentityTests {
  private static let now = Int64(Date().timeIntervalSince1970)

  static func failure(_ source: IdentitySource, now: Int64 = now) throws -> IdentityFailure? {
    do throws(IdentityFailure) {
      _ = try AppleIdentity.open(source, now: now)
      return nil
    } catch { return error }
  }

  static func p12(_ name: String, _ passphrase: String = "open") throws -> IdentitySource {
    .pkcs12(try Material.file("\(name).p12"), passphrase: passphrase)
  }

  @Test func `PKCS 12 is opened in memory, with the certificates above its own`() throws {
    for name in ["apple", "modern"] {
      let identity = try AppleIdentity.open(try Self.p12(name), now: Self.now)
      #expect(identity.intermediates.count == 1)
    }
  }

  @Test func `what cannot be opened has a reason of its own`() throws {
    #expect(try Self.failure(try Self.p12("apple", "wrong")) == .wrongPassphrase)
    #expect(try Self.failure(try Self.p12("nokey")) == .noKey)
    guard case .unreadable = try Self.failure(.pkcs12(Array("no PKCS 12".utf8), passphrase: "open")) else {
      return #expect(Bool(false))
    }
    #expect(try Self.failure(.pem(try Material.file("alice-both.pem"))) == .pemNotSupported)
    guard case .expired = try Self.failure(try Self.p12("apple"), now: 4_000_000_000) else {
      return #expect(Bool(false))
    }
  }

  @Test func `one that takes too many rounds is not handed to Security`() throws {
    // A salt, and the largest number of rounds that fits into four bytes.
    let costly: [UInt8] = [0x30, 10, 0x04, 2, 7, 7, 0x02, 4, 0x7F, 0xFF, 0xFF, 0xFF]
    #expect(
      try Self.failure(.pkcs12(costly, passphrase: "open")) == .tooManyIterations(0x7FFF_FFFF, limit: 1_000_000))
  }

  @Test func `the keychain's identity is found by its label, its certificate's name or its reference`() throws {
    defer { (Keychain.items, Keychain.isLocked) = ([], false) }
    #expect(try Self.failure(.keychain(label: "phone")) == .notInKeychain)
    let alice = try AppleIdentity.open(try Self.p12("apple"), now: Self.now).identity
    let modern = try AppleIdentity.open(try Self.p12("modern"), now: Self.now).identity
    Keychain.items = [
      .init(label: nil, reference: Data([1]), modern), .init(label: "phone", reference: Data([1, 2, 3]), alice),
    ]
    #expect(try AppleIdentity.open(.keychain(label: "phone"), now: Self.now).identity === alice)
    #expect(try AppleIdentity.open(.keychain(persistentReference: [1, 2, 3]), now: Self.now).identity === alice)
    // Both certificates belong to alice.
    #expect(try AppleIdentity.open(.keychain(label: "alice"), now: Self.now).identity === modern)
    #expect(try Self.failure(.keychain(label: "bob")) == .notInKeychain)
    #expect(try Self.failure(.keychain(persistentReference: [2])) == .notInKeychain)
    Keychain.isLocked = true
    guard case .keychainRefused = try Self.failure(.keychain(label: "alice")) else { return #expect(Bool(false)) }
  }
}
