/// A body made of pieces: ranges of files and bytes in memory, in order, as if they were one file.

internal import Formats

/// A run of bytes that lies in one place.
package struct Slice: Sendable {
  package enum Origin: Sendable {
    /// The whole of these bytes.
    case memory([UInt8])
    /// From `offset` on in the file.
    case file(RandomAccessFile, offset: UInt64)
  }

  package let origin: Origin
  /// In bytes.
  package let length: UInt64

  package init(_ bytes: [UInt8]) {
    origin = .memory(bytes)
    length = UInt64(bytes.count)
  }

  package init(_ file: RandomAccessFile, _ range: Range<UInt64>) {
    origin = .file(file, offset: range.lowerBound)
    length = range.upperBound - range.lowerBound
  }

  /// Without its first `count` bytes, of which there are more.
  func dropFirst(_ count: UInt64) -> Slice {
    switch origin {
    case .memory(let bytes): Slice(Array(bytes.dropFirst(Int(count))))
    case .file(let file, let offset): Slice(file, (offset + count)..<(offset + length))
    }
  }
}

package struct SliceList: ByteSource, Sendable {
  /// Without the empty ones.
  package let slices: [Slice]
  /// Where each slice begins in the whole, in bytes; as many as there are slices.
  private let starts: [UInt64]
  /// In bytes.
  package let length: UInt64

  package init(_ slices: [Slice]) {
    self.slices = slices.filter { $0.length > 0 }
    var starts: [UInt64] = []
    var end: UInt64 = 0
    for slice in self.slices {
      starts.append(end)
      end += slice.length
    }
    self.starts = starts
    length = end
  }

  /// The slices behind the first `count` bytes.
  package func dropFirst(_ count: UInt64) -> [Slice] {
    zip(slices, starts).compactMap { slice, start in
      guard start + slice.length > count else { return nil }
      return start >= count ? slice : slice.dropFirst(count - start)
    }
  }

  /// The index of the slice that holds the byte at `offset`, which lies below `length`. O(log n).
  private func indexOfSlice(holding offset: UInt64) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    _ = unsafe try read(at: offset, into: buffer) {
      (file, offset, part) throws(StorageError) -> RandomAccessFile.ImmediateRead in
      unsafe try file.read(at: offset, into: part)
      return .bytes(part.count)
    }
  }

  /// Reads from `offset` on what is in memory already, across slices. Never waits for a disk.
  ///
  /// - Returns: how many bytes are in the buffer; `wouldBlock` where that would be none.
  /// - Throws: `StorageError`, also where a file ends before its slice.
  package func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> RandomAccessFile.ImmediateRead {
    unsafe try read(at: offset, into: buffer) { (file, offset, part) throws(StorageError) in
      unsafe try file.readImmediately(at: offset, into: part)
    }
  }

  /// Walks the slices from `offset` on until the buffer is full or a file gives less than it was asked for.
  private func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
    fromFile: (RandomAccessFile, UInt64, UnsafeMutableRawBufferPointer) throws(StorageError) ->
      RandomAccessFile.ImmediateRead
  ) throws(StorageError) -> RandomAccessFile.ImmediateRead {
    guard offset <= length, UInt64(buffer.count) <= length - offset else {
      throw StorageError("read", "the recording", .endOfFile(offset: length))
    }
    var done = 0
    guard buffer.count > 0 else { return .bytes(0) }
    var index = indexOfSlice(holding: offset)
    while done < buffer.count {
      let slice = slices[index]
      let skipped = offset + UInt64(done) - starts[index]
      let count = Int(min(slice.length - skipped, UInt64(buffer.count - done)))
      // Safe because `done + count` is at most the buffer's count.
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + count)])
      switch slice.origin {
      case .memory(let bytes):
        // Safe because `skipped + count` is at most the slice's length, which is the array's count.
        unsafe bytes.withUnsafeBytes {
          unsafe part.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(skipped)..<(Int(skipped) + count)]))
        }
        done += count
      case .file(let file, let start):
        switch unsafe try fromFile(file, start + skipped, part) {
        case .wouldBlock: return done > 0 ? .bytes(done) : .wouldBlock
        case .bytes(let read):
          done += read
          if read < count { return .bytes(done) }
        }
      }
      index += 1
    }
    return .bytes(done)
  }
}
