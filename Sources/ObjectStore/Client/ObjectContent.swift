internal import Digest
package import Formats
package import HTTPFetching
package import HTTPSemantics
package import System

/// What is put into a store, with its digests: every request says by its signature which bytes it brings, and the store
/// keeps no others.
package struct ObjectContent: Sendable {
  package let body: HTTPClientBody
  /// 32 bytes.
  package let sha256: [UInt8]
  /// 16 bytes.
  package let md5: [UInt8]

  /// - Parameters:
  ///   - sha256: 32 bytes, of the body.
  ///   - md5: 16 bytes, of the body.
  package init(_ body: HTTPClientBody, sha256: [UInt8], md5: [UInt8]) {
    self.body = body
    self.sha256 = sha256
    self.md5 = md5
  }

  /// Of bytes in memory. Takes as long as two digests of them.
  package init(_ bytes: [UInt8]) {
    self.init(bytes.isEmpty ? .none : .bytes(bytes), sha256: SHA256.hash(bytes), md5: MD5.hash(bytes))
  }

  /// Reads a source once for its digests, and takes as long; it is read again while it is sent. Not for an event
  /// loop.
  ///
  /// - Parameter observe: told each piece in its order: for a digest of more than this one.
  package static func measured(
    _ source: any HTTPBodySource, observe: (borrowing [UInt8]) -> Void = { _ in }
  ) async throws(HTTPBodySourceError) -> ObjectContent {
    var sha256 = SHA256()
    var md5 = MD5()
    var offset: UInt64 = 0
    while offset < source.length {
      let wanted = Int(min(UInt64(ClientLimits.turn), source.length - offset))
      let bytes = try await source.bytes(at: offset, count: wanted)
      guard (1...wanted).contains(bytes.count) else {
        throw HTTPBodySourceError("\(bytes.count) bytes came where up to \(wanted) were asked for")
      }
      sha256.update(bytes)
      md5.update(bytes)
      observe(bytes)
      offset += UInt64(bytes.count)
    }
    return ObjectContent(
      source.length == 0 ? .none : .source(source), sha256: sha256.finish(), md5: md5.finish())
  }

  /// As most engines name a version of an object that was put at once.
  package var entityTag: EntityTag { EntityTag(digest: md5) }
}

extension EntityTag {
  /// As most engines name an object that was put in parts: the MD5 of its parts' MD5s, and how many they are.
  ///
  /// - Parameter partDigests: 16 bytes each.
  package init?(multipart partDigests: [[UInt8]]) {
    let digest = Hexadecimal.encode(MD5.hash(Array(partDigests.joined())))
    self.init(strong: "\(digest)-\(partDigests.count)")
  }
}

/// A range of what may block while it is read, as a body: read on threads that may.
package struct BlockingBodySource<Source: ByteSource & Sendable>: HTTPBodySource {
  private let source: Source
  private let range: Range<UInt64>
  private let pool: BlockingPool

  /// - Parameter range: within the source.
  package init(_ source: Source, _ range: Range<UInt64>, on pool: BlockingPool) {
    self.source = source
    self.range = range
    self.pool = pool
  }

  package var length: UInt64 { range.upperBound - range.lowerBound }

  package func bytes(at offset: UInt64, count: Int) async throws(HTTPBodySourceError) -> [UInt8] {
    guard offset < length else { throw HTTPBodySourceError("it ends at byte \(length)") }
    let start = range.lowerBound + offset
    let count = Int(min(UInt64(count), length - offset))
    let source = source
    return try await pool.run { () -> Result<[UInt8], HTTPBodySourceError> in
      do throws(Source.Failure) { return .success(try source.bytes(at: start, count: count)) } catch {
        return .failure(HTTPBodySourceError("\(error)"))
      }
    }.get()
  }
}
