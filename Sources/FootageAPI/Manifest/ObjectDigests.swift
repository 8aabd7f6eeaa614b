internal import FootageDigest

/// The identity of a sequence of bytes: its SHA-256 and that of each of its mebibytes.
package struct ObjectDigests: Hashable, Sendable {
  /// The number of bytes.
  package let size: UInt64
  /// The SHA-256 of all bytes, 32 bytes long.
  package let digest: [UInt8]
  /// The consecutive SHA-256 digests of the mebibytes, 32 bytes each. The last mebibyte may be shorter.
  private let digests: [UInt8]

  /// The number of bytes that one digest covers.
  package static let mebibyte: UInt64 = 1 << 20
  /// The length of a digest in bytes.
  package static let digestLength = 32

  /// - Returns: nil if the number or the length of the digests does not fit the size.
  package init?(size: UInt64, digest: [UInt8], mebibytes digests: [UInt8]) {
    guard digest.count == Self.digestLength, digests.count.isMultiple(of: Self.digestLength),
      UInt64(digests.count / Self.digestLength) == Self.count(of: size)
    else { return nil }
    self.size = size
    self.digest = digest
    self.digests = digests
  }

  /// Returns the number of mebibytes in so many bytes, including a shorter last one.
  package static func count(of size: UInt64) -> UInt64 { size / mebibyte + (size % mebibyte > 0 ? 1 : 0) }

  /// The number of mebibytes.
  package var count: Int { digests.count / Self.digestLength }

  /// Returns the SHA-256 of a mebibyte, counted from 0; nil if there is no mebibyte with this number.
  package func digest(ofMebibyte number: Int) -> ArraySlice<UInt8>? {
    guard number >= 0, number < count else { return nil }
    return digests[(number * Self.digestLength)..<((number + 1) * Self.digestLength)]
  }

  /// Returns the range of a mebibyte; an empty range if there is no mebibyte with this number.
  package func range(ofMebibyte number: Int) -> Range<UInt64> {
    guard number >= 0, number < count else { return size..<size }
    let start = UInt64(number) * Self.mebibyte
    return start..<min(size, start + Self.mebibyte)
  }

  /// Returns the numbers of the mebibytes that differ from those of another sequence, counted from 0, in ascending
  /// order. A mebibyte that only one of the sequences has counts as different.
  package func differences(from other: ObjectDigests) -> [Int] {
    (0..<max(count, other.count)).filter { digest(ofMebibyte: $0) != other.digest(ofMebibyte: $0) }
  }
}

/// Computes the digests of bytes that arrive one after the other. It needs 32 bytes of memory per mebibyte.
package struct ObjectDigester: ~Copyable {
  private var whole = SHA256()
  private var mebibyte = SHA256()
  /// The number of bytes in the mebibyte that is not complete yet.
  private var filled = 0
  /// The number of bytes so far.
  package private(set) var size: UInt64 = 0
  private var digests: [UInt8] = []

  package init() {}

  package mutating func update(_ bytes: borrowing [UInt8]) {
    // Safe because the buffer belongs to the array.
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
      preconditionFailure("there is a digest for each mebibyte, and one for the rest at the end")
    }
    return made
  }
}
