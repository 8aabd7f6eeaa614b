import FootageDigest
import FootageBase
import FootageFetching
import FootageSystem
import Testing

@testable import FootageStore

@Suite struct ObjectContentTests {
  static let bytes = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }

  @Test(arguments: [0..<1, 5..<131_072, 131_072..<262_144, 3..<400_000] as [Range<Int>])
  func `a range is measured by what it has, and sent as that`(range: Range<Int>) async throws {
    let pool = try BlockingPool(threadCount: 1)
    defer { pool.stop() }
    let source = BlockingBodySource(
      MemoryByteSource(Self.bytes), UInt64(range.lowerBound)..<UInt64(range.upperBound), on: pool)
    let content = try await source.measured()
    #expect(content.md5 == MD5.hash(Array(Self.bytes[range])))
    #expect(content.sha256 == nil)
    #expect(content.body.length == UInt64(range.count))
    #expect(try await source.bytes(at: 0, count: .max) == Array(Self.bytes[range]))
  }

  @Test func `of nothing there is nothing to be bound by another digest`() async throws {
    let pool = try BlockingPool(threadCount: 1)
    defer { pool.stop() }
    let content = try await BlockingBodySource(MemoryByteSource([]), 0..<0, on: pool).measured()
    #expect(content.sha256 == SHA256.hash([]))
    #expect(content.body.length == 0)
  }

  @Test func `a file that ends too early is no content`() async throws {
    let pool = try BlockingPool(threadCount: 1)
    defer { pool.stop() }
    await #expect(throws: HTTPBodySourceError.self) {
      _ = try await BlockingBodySource(MemoryByteSource([1, 2]), 0..<200_000, on: pool).measured()
    }
  }
}
