/// DER (X.690 §10) as a tree, for files with contents that no tool would write.

indirect enum DERTree {
  case primitive(UInt8, [UInt8])
  /// A constructed element, or an OCTET STRING that contains DER.
  case constructed(UInt8, [DERTree])

  /// Parses DER. The result is nil unless all bytes are valid DER.
  init?(_ bytes: [UInt8]) {
    guard let all = Self.all(bytes[...]), all.count == 1 else { return nil }
    self = all[0]
  }

  private static func all(_ bytes: ArraySlice<UInt8>) -> [DERTree]? {
    var rest = bytes
    var found: [DERTree] = []
    while let tag = rest.popFirst() {
      guard let first = rest.popFirst() else { return nil }
      var length = Int(first)
      if first >= 0x80 {
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), rest.count >= count else { return nil }
        length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
      }
      guard rest.count >= length else { return nil }
      let content = rest.prefix(length)
      rest = rest.dropFirst(length)
      if tag & 0x20 != 0 {
        guard let children = all(content) else { return nil }
        found.append(.constructed(tag, children))
      } else if tag == 0x04, content.first == 0x30, let children = all(content), children.count == 1 {
        found.append(.constructed(tag, children))
      } else {
        found.append(.primitive(tag, Array(content)))
      }
    }
    return found
  }

  var bytes: [UInt8] {
    switch self {
    case .primitive(let tag, let content): [tag] + Self.length(content.count) + content
    case .constructed(let tag, let children):
      { content in [tag] + Self.length(content.count) + content }(children.flatMap(\.bytes))
    }
  }

  private static func length(_ count: Int) -> [UInt8] {
    guard count >= 0x80 else { return [UInt8(count)] }
    var digits: [UInt8] = []
    var rest = count
    while rest > 0 {
      digits.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [0x80 | UInt8(digits.count)] + digits
  }

  /// Replaces the content of one of the INTEGERs that have a given content.
  ///
  /// - Parameter number: the one to replace, counted from 0 in the order of the file.
  /// - Returns: the number of INTEGERs with that content.
  @discardableResult
  mutating func replaceInteger(_ content: [UInt8], number: Int, by replacement: [UInt8]) -> Int {
    switch self {
    case .primitive(0x02, content):
      if number == 0 { self = .primitive(0x02, replacement) }
      return 1
    case .primitive: return 0
    case .constructed(let tag, var children):
      var count = 0
      for index in children.indices {
        count += children[index].replaceInteger(content, number: number - count, by: replacement)
      }
      self = .constructed(tag, children)
      return count
    }
  }
}
