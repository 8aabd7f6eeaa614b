/// Finds the key derivations that opening a PKCS#12 file (RFC 7292) takes, as far as they are visible before it is
/// opened: those for its MAC and for its encrypted contents.
///
/// It is needed on Apple's platforms, where the system opens such files itself and accepts any number of rounds.
package enum PKCS12Derivations {
  /// The most levels of elements within elements; a file needs about 15.
  private static let deepest = 32

  /// Rejects a file that would take too long to open.
  ///
  /// - Throws: `IdentityFailure`: `.tooManyIterations`; `.unreadable` if the file is not BER.
  package static func check(
    _ file: [UInt8], _ limits: IdentityLimits = IdentityLimits()
  ) throws(IdentityFailure) {
    guard let rounds = rounds(in: file[...], depth: 0) else { throw .unreadable("it is not PKCS#12") }
    if let most = rounds.max(), most > limits.iterations { throw .tooManyIterations(most, limit: limits.iterations) }
    // Each number is at most the limit, and there are fewer numbers than the file has bytes.
    let all = rounds.reduce(0, +)
    guard all <= limits.iterationsInAll else { throw .tooManyIterations(all, limit: limits.iterationsInAll) }
  }

  /// Returns all numbers of rounds. Wherever a salt is an OCTET STRING, the number of rounds is the INTEGER after it:
  /// in MacData (RFC 7292 §4), in PKCS#12's own schemes (§C), in PBES1, PBKDF2 and scrypt (RFC 8018 §A, RFC 7914 §7).
  ///
  /// - Returns: nil if the bytes are not a sequence of elements.
  private static func rounds(in bytes: ArraySlice<UInt8>, depth: Int) -> [UInt64]? {
    guard depth < deepest else { return nil }
    var rounds: [UInt64] = []
    var rest = bytes
    var isBehindSalt = false
    while !rest.isEmpty {
      guard let element = Element(first: &rest) else { return nil }
      if isBehindSalt, element.tag == DERReader.Tag.integer { rounds.append(number(element.contents)) }
      isBehindSalt = element.isOctetString
      if let octets = element.octets {
        rounds += Self.rounds(within: octets[...], depth: depth + 1)
      } else if element.isConstructed {
        guard let inner = Self.rounds(in: element.contents, depth: depth + 1) else { return nil }
        rounds += inner
      }
    }
    return rounds
  }

  /// Returns the numbers of rounds inside an OCTET STRING. The string may begin with an element, which other bytes may
  /// follow, or may contain no element.
  private static func rounds(within octets: ArraySlice<UInt8>, depth: Int) -> [UInt64] {
    var rest = octets
    guard octets.first == DERReader.Tag.sequence, let element = Element(first: &rest) else { return [] }
    return rounds(in: element.contents, depth: depth) ?? []
  }

  /// Returns the number; the largest possible number if the value is larger than that, or negative.
  private static func number(_ contents: ArraySlice<UInt8>) -> UInt64 {
    guard let first = contents.first, first < 0x80 else { return .max }
    let digits = contents.drop { $0 == 0 }
    return digits.count > 8 ? .max : digits.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// An element of BER (X.690 §8), the encoding that PKCS#12 files may use.
  private struct Element {
    let tag: UInt8
    let contents: ArraySlice<UInt8>

    var isConstructed: Bool { tag & 0x20 != 0 }
    var isOctetString: Bool { tag & 0xDF == DERReader.Tag.octetString }

    /// The bytes of an OCTET STRING, whose parts may be separate elements.
    var octets: [UInt8]? {
      guard isOctetString else { return nil }
      return Self.octets(of: self, depth: 0)
    }

    private static func octets(of element: Element, depth: Int) -> [UInt8] {
      guard element.isConstructed, depth < deepest else { return Array(element.contents) }
      var octets: [UInt8] = []
      var rest = element.contents
      while let part = Element(first: &rest), part.isOctetString { octets += Self.octets(of: part, depth: depth + 1) }
      return octets
    }

    /// Removes the first element from the bytes.
    init?(first rest: inout ArraySlice<UInt8>) {
      self.init(first: &rest, depth: 0)
    }

    private init?(first rest: inout ArraySlice<UInt8>, depth: Int) {
      guard depth < deepest, let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else {
        return nil
      }
      self.tag = tag
      if first == 0x80 {
        guard tag & 0x20 != 0 else { return nil }
        // An element of indefinite length ends at an element without tag and length.
        let all = rest
        while !rest.starts(with: [0, 0]) {
          guard Element(first: &rest, depth: depth + 1) != nil else { return nil }
        }
        contents = all[..<rest.startIndex]
        rest.removeFirst(2)
        return
      }
      var length = Int(first)
      if first > 0x80 {
        let count = Int(first & 0x7F)
        guard count <= 4, rest.count >= count else { return nil }
        length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest.removeFirst(count)
      }
      guard rest.count >= length else { return nil }
      contents = rest.prefix(length)
      rest.removeFirst(length)
    }
  }
}
