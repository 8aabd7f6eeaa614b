package import FootageBase

/// A composition whose sources are open files: its bytes can be read at any offset, as if they were one file.
///
/// It holds those files for as long as it lives, and is cheap to copy.
package struct BoundComposition: ByteSource, Sendable {
  package private(set) var composition: Composition
  /// The open files by source number; nil for a source from which the composition uses no bytes.
  private var files: [RandomAccessFile?]

  /// - Parameter files: source 0, source 1, and so on. A range of a source that is not among them cannot be read.
  package init(_ composition: Composition, of files: [RandomAccessFile]) {
    self.composition = composition
    self.files = files
  }

  /// Creates a composition of bytes in memory.
  package init(_ bytes: [UInt8]) {
    var composition = Composition()
    composition.append(bytes)
    self.init(composition, of: [])
  }

  /// Creates a composition of one range of a file.
  package init(_ file: RandomAccessFile, _ range: Range<UInt64>) {
    var composition = Composition()
    composition.append(range)
    self.composition = composition
    files = [file]
  }

  /// The number of bytes.
  package var length: UInt64 { composition.length }

  /// Returns the composition of a range of these bytes. The result does not hold files that it does not need. No byte
  /// is copied.
  ///
  /// - Parameter range: the part of it beyond the end is ignored.
  package func slice(in range: Range<UInt64>) -> BoundComposition {
    var part = self
    part.composition = composition.slice(in: range)
    for source in files.indices where part.composition.ranges(of: source).isEmpty { part.files[source] = nil }
    return part
  }

  /// Appends the bytes of another composition, and holds its files.
  package mutating func append(_ other: BoundComposition) {
    composition.append(other.composition, firstSource: files.count)
    files += other.files
  }

  /// Returns the open file that is a source of the composition.
  ///
  /// - Throws: `StorageError` if no file is bound to it.
  func file(_ source: Int) throws(StorageError) -> RandomAccessFile {
    guard files.indices.contains(source), let file = files[source] else {
      throw StorageError("read", "source \(source) of a composition", .system(.notFound))
    }
    return file
  }

  /// True if reading it may take as long as a network takes.
  package var isPartial: Bool { files.contains { $0?.isPartial ?? false } }

  /// Waits until this many bytes can be read without waiting for a network. Blocks no thread.
  package func prepare(at offset: UInt64, count: Int) async throws(StorageError) {
    let part = composition.slice(in: offset..<min(length, offset.addingClamped(UInt64(count))))
    for case .range(let source, let range) in part.slices { try await file(source).prepare(range) }
  }

  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    _ = unsafe try read(at: offset, into: buffer) {
      (file, offset, part) throws(StorageError) -> RandomAccessFile.ImmediateRead in
      unsafe try file.read(at: offset, into: part)
      return .bytes(part.count)
    }
  }

  /// Reads the bytes from `offset` on that are in memory already, across slices. Never waits for a disk.
  ///
  /// - Returns: the number of bytes in the buffer; `wouldBlock` if there would be none.
  /// - Throws: `StorageError`, also if a file ends before its slice.
  package func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> RandomAccessFile.ImmediateRead {
    unsafe try read(at: offset, into: buffer) { (file, offset, part) throws(StorageError) in
      unsafe try file.readImmediately(at: offset, into: part)
    }
  }

  /// Reads the slices from `offset` on, until the buffer is full or a file returns fewer bytes than requested.
  private func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer,
    fromFile: (RandomAccessFile, UInt64, UnsafeMutableRawBufferPointer) throws(StorageError) ->
      RandomAccessFile.ImmediateRead
  ) throws(StorageError) -> RandomAccessFile.ImmediateRead {
    guard offset <= length, UInt64(buffer.count) <= length - offset else {
      throw StorageError("read", "a composition", .endOfFile(offset: length))
    }
    var done = 0
    guard buffer.count > 0 else { return .bytes(0) }
    var index = composition.indexOfSlice(at: offset)
    var skipped = offset - composition.start(ofSlice: index)
    while done < buffer.count {
      let slice = composition.slices[index]
      let count = Int(min(slice.length - skipped, UInt64(buffer.count - done)))
      // Safe because `done + count` is at most the buffer's count.
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + count)])
      switch slice {
      case .literal(let bytes):
        // Safe because `skipped + count` is at most the slice's length, which is the array's count.
        unsafe bytes.withUnsafeBytes {
          unsafe part.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(skipped)..<(Int(skipped) + count)]))
        }
        done += count
      case .range(let source, let range):
        switch unsafe try fromFile(try file(source), range.lowerBound + skipped, part) {
        case .wouldBlock: return done > 0 ? .bytes(done) : .wouldBlock
        case .bytes(let read):
          done += read
          if read < count { return .bytes(done) }
        }
      }
      index += 1
      skipped = 0
    }
    return .bytes(done)
  }
}
