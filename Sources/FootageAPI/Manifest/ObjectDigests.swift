internal import FootageDigest

/// What a sequence of bytes is, by its SHA-256 and that of each mebibyte of it.
package struct ObjectDigests: Hashable, Sendable {
  /// In bytes.
  package let size: UInt64
  /// SHA-256 of all, 32 bytes.
  package let digest: [UInt8]
  /// SHA-256 of each mebibyte, one behind the other, 32 bytes each; the last mebibyte may be shorter.
  private let digests: [UInt8]

  /// In bytes: what one digest is of.
  package static let mebibyte: UInt64 = 1 << 20
  /// In bytes.
  package static let digestLength = 32

  /// - Returns: nil where the digests are not as many, or not as long, as the size takes.
  package init?(size: UInt64, digest: [UInt8], mebibytes digests: [UInt8]) {
    guard digest.count == Self.digestLength, digests.count.isMultiple(of: Self.digestLength),
      UInt64(digests.count / Self.digestLength) == Self.count(of: size)
    else { return nil }
    self.size = size
    self.digest = digest
    self.digests = digests
  }

  /// Of so many bytes, how many mebibytes there are, the last one included.
  package static func count(of size: UInt64) -> UInt64 { size / mebibyte + (size % mebibyte > 0 ? 1 : 0) }

  /// How many mebibytes there are.
  package var count: Int { digests.count / Self.digestLength }

  /// SHA-256 of a mebibyte, counted from 0; nil where there is none of this number.
  package func digest(ofMebibyte number: Int) -> ArraySlice<UInt8>? {
    guard number >= 0, number < count else { return nil }
    return digests[(number * Self.digestLength)..<((number + 1) * Self.digestLength)]
  }

  /// The bytes that a mebibyte is of; empty where there is none of this number.
  package func range(ofMebibyte number: Int) -> Range<UInt64> {
    guard number >= 0, number < count else { return size..<size }
    let start = UInt64(number) * Self.mebibyte
    return start..<min(size, start + Self.mebibyte)
  }

  /// Which mebibytes, counted from 0, are not those of another sequence: those of which one of the two has none are
  /// among them. Ascending.
  package func differences(from other: ObjectDigests) -> [Int] {
    (0..<max(count, other.count)).filter { digest(ofMebibyte: $0) != other.digest(ofMebibyte: $0) }
  }
}

/// Takes the digests of bytes that come one behind the other. Needs 32 bytes of memory a mebibyte.
package struct ObjectDigester: ~Copyable {
  private var whole = SHA256()
  private var mebibyte = SHA256()
  /// Of the mebibyte that is not whole yet, in bytes.
  private var filled = 0
  /// So far, in bytes.
  package private(set) var size: UInt64 = 0
  private var digests: [UInt8] = []

  package init() {}

  package mutating func update(_ bytes: borrowing [UInt8]) {
    // Safe because the buffer is the array's own.
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe whole.update(bytes)
    size += UInt64(bytes.count)
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      let part = unsafe rest.prefix(Int(ObjectDigests.mebibyte) - filled)
      unsafe mebibyte.update(UnsafeRawBufferPointer(rebasing: part))
      filled += unsafe part.count
      if filled == Int(ObjectDigests.mebibyte) { closeMebibyte() }
      unsafe rest = rest.dropFirst(part.count)
    }
  }

  private mutating func closeMebibyte() {
    var full = SHA256()
    swap(&full, &mebibyte)
    digests += full.finish()
    filled = 0
  }

  package consuming func finish() -> ObjectDigests {
    if filled > 0 { closeMebibyte() }
    let (size, digests) = (size, digests)
    let digest = whole.finish()
    guard let made = ObjectDigests(size: size, digest: digest, mebibytes: digests) else {
      preconditionFailure("a digest is closed with each mebibyte, and with what is left at the end")
    }
    return made
  }
}
