/// The key derivations that opening a file of PKCS#12 (RFC 7292) takes, as far as they can be seen before it is opened: of its
/// MAC, and of what is encrypted in it.
///
/// For a system that opens such files by itself, and takes whatever rounds they say.
package enum PKCS12Derivations {
  /// Of elements within elements; a file needs about 15.
  private static let deepest = 32

  /// Refuses what would take too long.
  ///
  /// - Throws: `IdentityFailure`: `.tooManyIterations`; `.unreadable` where it is no BER.
  package static func check(
    _ file: [UInt8], _ limits: IdentityLimits = IdentityLimits()
  ) throws(IdentityFailure) {
    guard let rounds = rounds(in: file[...], depth: 0) else { throw .unreadable("it is no PKCS#12") }
    if let most = rounds.max(), most > limits.iterations { throw .tooManyIterations(most, limit: limits.iterations) }
    // Each is at most the limit, and there are fewer than the file has bytes.
    let all = rounds.reduce(0, +)
    guard all <= limits.iterationsInAll else { throw .tooManyIterations(all, limit: limits.iterationsInAll) }
  }

  /// Wherever a salt is an OCTET STRING, the rounds are the INTEGER behind it: in MacData (RFC 7292 §4), in PKCS#12's own
  /// schemes (§C), in PBES1, PBKDF2 and scrypt (RFC 8018 §A, RFC 7914 §7).
  ///
  /// - Returns: nil where the bytes are no elements, one behind the other.
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

  /// What an OCTET STRING holds may be an element, whatever follows it, and need not be any.
  private static func rounds(within octets: ArraySlice<UInt8>, depth: Int) -> [UInt64] {
    var rest = octets
    guard octets.first == DERReader.Tag.sequence, let element = Element(first: &rest) else { return [] }
    return rounds(in: element.contents, depth: depth) ?? []
  }

  /// The largest number there is for one that is larger, or negative.
  private static func number(_ contents: ArraySlice<UInt8>) -> UInt64 {
    guard let first = contents.first, first < 0x80 else { return .max }
    let digits = contents.drop { $0 == 0 }
    return digits.count > 8 ? .max : digits.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// An element of BER (X.690 §8), which such files may be written in.
  private struct Element {
    let tag: UInt8
    let contents: ArraySlice<UInt8>

    var isConstructed: Bool { tag & 0x20 != 0 }
    var isOctetString: Bool { tag & 0xDF == DERReader.Tag.octetString }

    /// Of an OCTET STRING, whose parts may stand by themselves.
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

    /// Takes the first one off.
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
        // Of the indefinite form: up to an element of no tag and no length.
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
