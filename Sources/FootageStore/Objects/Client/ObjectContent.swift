internal import FootageDigest
package import FootageBase
package import FootageFetching
package import FootageHTTP
package import FootageSystem

/// The content of an object to be written, with its digests. The signature of a request covers a digest of its body, so
/// the store rejects a body that was changed.
package struct ObjectContent: Sendable {
  package let body: HTTPClientBody
  /// The SHA-256 of the body, 32 bytes; nil for content that is read from a file. In that case, the signature covers
  /// only the body's MD5, and the store returns that as the object's version. Computing a SHA-256 as well would take a
  /// quarter of the time of sending.
  package let sha256: [UInt8]?
  /// The MD5 of the body, 16 bytes.
  package let md5: [UInt8]

  /// - Parameters:
  ///   - sha256: the body's digest of 32 bytes; nil if it was not computed.
  ///   - md5: the body's digest of 16 bytes.
  package init(_ body: HTTPClientBody, sha256: [UInt8]?, md5: [UInt8]) {
    self.body = body
    self.sha256 = sha256
    self.md5 = md5
  }

  /// Creates the content from bytes in memory. Computes two digests of the bytes.
  package init(_ bytes: [UInt8]) {
    self.init(bytes.isEmpty ? .none : .bytes(bytes), sha256: SHA256.hash(bytes), md5: MD5.hash(bytes))
  }

  /// The tag that most engines give to an object that was written in one request.
  package var entityTag: EntityTag { EntityTag(digest: md5) }
}

extension EntityTag {
  /// Creates the tag that most engines give to an object that was written in parts: the MD5 of the parts' MD5s, and the
  /// number of parts.
  ///
  /// - Parameter partDigests: the MD5s, 16 bytes each.
  package init?(multipart partDigests: [[UInt8]]) {
    let digest = Hexadecimal.encode(MD5.hash(Array(partDigests.joined())))
    self.init(strong: "\(digest)-\(partDigests.count)")
  }
}

/// A request body that is a range of a blocking source. It is read on threads that may block.
package struct BlockingBodySource<Source: ByteSource & Sendable>: HTTPBodySource {
  private let source: Source
  private let range: Range<UInt64>
  private let pool: BlockingPool

  /// - Parameter range: a range within the source.
  package init(_ source: Source, _ range: Range<UInt64>, on pool: BlockingPool) {
    self.source = source
    self.range = range
    self.pool = pool
  }

  package var length: UInt64 { range.upperBound - range.lowerBound }

  /// Reads the range to compute its MD5. The range is read a second time while it is sent.
  package func measured() async throws(HTTPBodySourceError) -> ObjectContent {
    guard length > 0 else { return ObjectContent([]) }
    let (source, range) = (source, range)
    let md5 = try await pool.run { () throws(HTTPBodySourceError) in
      var md5 = MD5()
      var offset = range.lowerBound
      while offset < range.upperBound {
        let count = min(UInt64(Self.piece), range.upperBound - offset)
        do throws(Source.Failure) { md5.update(try source.bytes(at: offset, count: Int(count))) } catch {
          throw HTTPBodySourceError("\(error)")
        }
        offset += count
      }
      return md5.finish()
    }
    return ObjectContent(.source(self), sha256: nil, md5: md5)
  }

  /// The number of bytes read at once for a digest.
  private static var piece: Int { 128 << 10 }

  package func bytes(at offset: UInt64, count: Int) async throws(HTTPBodySourceError) -> [UInt8] {
    guard offset < length else { throw HTTPBodySourceError("it ends at byte \(length)") }
    let start = range.lowerBound + offset
    let count = Int(min(UInt64(count), length - offset))
    let source = source
    return try await pool.run { () throws(HTTPBodySourceError) in
      do throws(Source.Failure) { return try source.bytes(at: start, count: count) } catch {
        throw HTTPBodySourceError("\(error)")
      }
    }
  }
}
