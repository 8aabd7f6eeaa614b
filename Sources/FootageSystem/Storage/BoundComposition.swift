package import FootageBase

/// A composition whose sources are open files: its bytes can be read at any offset, as if they were one file.
///
/// Holds those files for as long as it lives; cheap to copy.
package struct BoundComposition: ByteSource, Sendable {
  package private(set) var composition: Composition
  /// By the numbers of the sources; nil for one of which nothing is left.
  private var files: [RandomAccessFile?]

  /// - Parameter files: source 0, source 1, and so on. A range of a source that is not among them cannot be read.
  package init(_ composition: Composition, of files: [RandomAccessFile]) {
    self.composition = composition
    self.files = files
  }

  /// Bytes in memory.
  package init(_ bytes: [UInt8]) {
    var composition = Composition()
    composition.append(bytes)
    self.init(composition, of: [])
  }

  /// A range of a file.
  package init(_ file: RandomAccessFile, _ range: Range<UInt64>) {
    var composition = Composition()
    composition.append(range)
    self.composition = composition
    files = [file]
  }

  /// In bytes.
  package var length: UInt64 { composition.length }

  /// A range of the whole. A file of which it has nothing is let go. No byte is copied.
  ///
  /// - Parameter range: what lies beyond the end is left out.
  package func slice(in range: Range<UInt64>) -> BoundComposition {
    var part = self
    part.composition = composition.slice(in: range)
    for source in files.indices where part.composition.ranges(of: source).isEmpty { part.files[source] = nil }
    return part
  }

  /// Appends the bytes of another one, and holds its files.
  package mutating func append(_ other: BoundComposition) {
    composition.append(other.composition, firstSource: files.count)
    files += other.files
  }

  /// The open file that is a source of the composition.
  ///
  /// - Throws: `StorageError` where nobody has bound it.
  func file(_ source: Int) throws(StorageError) -> RandomAccessFile {
    guard files.indices.contains(source), let file = files[source] else {
      throw StorageError("read", "source \(source) of a composition", .system(.notFound))
    }
    return file
  }

  /// Whether reading it may take as long as a network does.
  package var isPartial: Bool { files.contains { $0?.isPartial ?? false } }

  /// Waits until so many bytes can be read as fast as this machine can. Holds up no thread.
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
