/// A source's errors at the end of its bytes, and their way to the caller.

import FootageBase
import Testing

@Suite struct ByteSourceTests {
  private struct Broken: ByteSource {
    struct Worn: Error, Hashable { let sector: Int }
    let length: UInt64 = 10
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(Worn) {
      throw Worn(sector: Int(offset))
    }
  }

  @Test func `memory gives what it has and not a byte more`() throws {
    let source = MemoryByteSource([1, 2, 3])
    #expect(try source.bytes(at: 1, count: 2) == [2, 3])
    #expect(try source.bytes(at: 3, count: 0) == [])
    for (offset, count) in [(0, 4), (2, 2), (4, 0), (UInt64.max, 1)] {
      #expect(throws: EndOfBytes(offset: 3)) { _ = try source.bytes(at: offset, count: count) }
    }
  }

  @Test func `a source's own error comes through whole`() {
    #expect(throws: Broken.Worn(sector: 4)) { _ = try Broken().bytes(at: 4, count: 1) }
    let failure = ReadFailure(Broken.Worn(sector: 4))
    #expect(failure == ReadFailure(Broken.Worn(sector: 4)) && failure != ReadFailure(Broken.Worn(sector: 5)))
    #expect(failure != ReadFailure(EndOfBytes(offset: 4)))
    #expect((failure.cause as? Broken.Worn)?.sector == 4)
    #expect("\(ReadFailure(EndOfBytes(offset: 4)))" == "the bytes end at byte 4, before the requested bytes")
  }
}
