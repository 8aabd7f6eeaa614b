/// The parts that are built on files: the database, digests and the cache.
import Darwin
import FootageDigest
import Foundation
import FootageCore
import FootageBase
import FootageSystem
import TestSupport
import Testing

extension DarwinTests {
  @Test func `the database is synced as far as the disk`() throws {
    let folder = try TemporaryFolder()
    let database = try Database(path: folder.path("a.sqlite"))
    #expect(try database.prepare("PRAGMA fullfsync").integer() == 1)
    #expect(try database.prepare("PRAGMA checkpoint_fullfsync").integer() == 1)
    #expect(try database.prepare("PRAGMA synchronous").integer() == 1)
  }

  @Test func `digests are those of FIPS 180-4`() {
    #expect(
      Hexadecimal.encode(SHA256.hash(Array("abc".utf8)))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    var digest = SHA256()
    digest.update(Array("a".utf8))
    digest.update(Array("bc".utf8))
    #expect(digest.finish() == SHA256.hash(Array("abc".utf8)))
  }

  @Test func `pairings are kept durably, and found again`() throws {
    let folder = try TemporaryFolder()
    let pin = try #require(PublicKeyPin(digest: SHA256.hash([1])))
    let address = try #require(RobotAddress("robot.local:8443"))
    FullSync.count = 0
    _ = try PairingStore(folder: folder.path("pairings")).remember(pin, of: address)
    #expect(FullSync.count > 0)
    #expect(try PairingStore(folder: folder.path("pairings")).all().map(\.pins) == [[pin]])
  }
}
