/// A script without the characters that mean nothing between its tokens (ECMA-262 §12).
///
/// Left out are spaces, line ends that end no statement, and semicolons and commas before a closing bracket. Constants
/// are declared with the shorter `let`, and those that follow each other in one statement. Round numbers and what occurs
/// often have short forms, and private names (§13.3, `#name`) become the shortest ones there are.
///
/// Strings, templates and regular expressions stay as they are. Four rules make one pass enough: a template contains no
/// other template, a regular expression follows an operator, an opening bracket, a comma, a line end, or `return`, no
/// statement is empty, and one that ends with the brace of an expression ends with a semicolon.
struct DenseScript {
  /// The script before all others: it declares the short names. No module may use one of them.
  static let prologue = "const M=Math,O=Object,D=document,I=Infinity,U=Uint8Array,N=null;"
  private static let shorter = [
    "Math": "M", "Object": "O", "document": "D", "Infinity": "I", "Uint8Array": "U", "null": "N", "true": "!0",
    "false": "!1", "undefined": "void 0",
  ]

  private let bytes: [UInt8]
  private var dense: [UInt8] = []
  /// The new private names, without the number sign, by the ones in the script.
  private var privateNames: [ArraySlice<UInt8>: [UInt8]] = [:]
  /// Tells by open bracket whether the statement in it declares names with `let`.
  private var isDeclaring = [false]
  /// The place after the semicolon that ended the last such statement.
  private var declarationEnd: Int?

  /// Returns the text of a script without its meaningless spaces.
  static func text(_ script: String) -> String {
    var pass = DenseScript(bytes: Array(script.utf8))
    pass.run()
    return String(decoding: pass.dense, as: UTF8.self)
  }

  private mutating func run() {
    dense.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
        copy(&index, upTo: end(of: byte, from: index))
      case UInt8(ascii: "/") where beginsExpression:
        copy(&index, upTo: end(of: byte, from: index))
      case UInt8(ascii: "#"):
        let end = bytes[(index + 1)...].firstIndex { !Self.isInName($0) } ?? bytes.count
        dense.append(byte)
        dense += privateName(bytes[(index + 1)..<end])
        index = end
      case UInt8(ascii: " "):
        shorten(before: byte)
        if ends(with: Self.constant) {
          dense.replaceSubrange((dense.count - Self.constant.count)..., with: Self.declaration)
        }
        if !declares(), separates(index) { dense.append(byte) }
        index += 1
      case UInt8(ascii: "\n"):
        shorten(before: byte)
        if dense.last.map(Self.enders.contains) != true { dense.append(byte) }
        index += 1
      default:
        if !Self.isInName(byte) { shorten(before: byte) }
        if Self.closers.contains(byte) { close(byte) }
        dense.append(byte)
        track(byte)
        index += 1
      }
    }
  }

  /// Notes what a sign means for the declarations around it.
  private mutating func track(_ byte: UInt8) {
    let last = isDeclaring.count - 1
    switch byte {
    case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): isDeclaring.append(false)
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): if last > 0 { isDeclaring.removeLast() }
    case UInt8(ascii: ";"):
      declarationEnd = isDeclaring[last] ? dense.count : nil
      isDeclaring[last] = false
    default: break
    }
  }

  /// Returns true if the last token is a `let` that goes on with the declaration before it, and was dropped.
  private mutating func declares() -> Bool {
    guard ends(with: Self.declaration) else { return false }
    isDeclaring[isDeclaring.count - 1] = true
    guard declarationEnd == dense.count - Self.declaration.count else { return false }
    dense.replaceSubrange((dense.count - Self.declaration.count - 1)..., with: ",".utf8)
    return true
  }

  /// Replaces the last token if it is a round number, or a word with a shorter form that is no member's name and no key.
  private mutating func shorten(before next: UInt8) {
    let name = dense.reversed().prefix { Self.isInName($0) }
    guard name.count >= 4, dense.dropLast(name.count).last != UInt8(ascii: ".") else { return }
    let zeros = name.prefix { $0 == UInt8(ascii: "0") }.count
    if zeros > 2, zeros < name.count, name.allSatisfy(Self.isDigit), next != UInt8(ascii: ".") {
      dense.replaceSubrange((dense.count - zeros)..., with: "e\(zeros)".utf8)
    }
    guard name.count <= 10, next != UInt8(ascii: ":"),
      let short = Self.shorter[String(decoding: name.reversed(), as: UTF8.self)]
    else { return }
    dense.replaceSubrange((dense.count - name.count)..., with: short.utf8)
  }

  private mutating func privateName(_ name: ArraySlice<UInt8>) -> [UInt8] {
    if let known = privateNames[name] { return known }
    var (rest, made) = (privateNames.count, [UInt8]())
    repeat {
      made.append(UInt8(ascii: "a") + UInt8(rest % 26))
      rest /= 26
    } while rest > 0
    privateNames[name] = made
    return made
  }

  private mutating func copy(_ index: inout Int, upTo end: Int) {
    dense += bytes[index..<end]
    index = end
  }

  /// Returns the place after the next delimiter that no backslash precedes. In a regular expression, a class in
  /// brackets may contain the delimiter.
  private func end(of delimiter: UInt8, from start: Int) -> Int {
    var index = start + 1
    var isClass = false
    while index < bytes.count, isClass || bytes[index] != delimiter {
      if delimiter == UInt8(ascii: "/") {
        if bytes[index] == UInt8(ascii: "[") { isClass = true }
        if bytes[index] == UInt8(ascii: "]") { isClass = false }
      }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  /// Drops what means nothing before a closing bracket, or before a sign that continues an expression.
  private mutating func close(_ byte: UInt8) {
    if dense.last == UInt8(ascii: "\n") { dense.removeLast() }
    if byte == UInt8(ascii: "."), dense.last == UInt8(ascii: "0"), !Self.isInNumber(dense.dropLast().last) {
      dense.removeLast()
    }
    guard Self.brackets.contains(byte) else { return }
    if dense.last == UInt8(ascii: ",") || byte == UInt8(ascii: "}") && dense.last == UInt8(ascii: ";") {
      dense.removeLast()
    }
  }

  private static let brackets = Set("}])".utf8)
  private static let closers = brackets.union(".?:".utf8)
  private static let enders = Set(";{},([".utf8)
  private static let constant = Array("const".utf8)
  private static let declaration = Array("let".utf8)

  /// True if the last token is this word.
  private func ends(with word: [UInt8], before end: Int? = nil) -> Bool {
    let before = dense[..<(end ?? dense.count)]
    return before.suffix(word.count).elementsEqual(word)
      && !Self.isInName(before.dropLast(word.count).last ?? UInt8(ascii: "\n"))
  }

  private static let openers = Set("(,=:[!&|?{};<>+-*%\n".utf8)
  private static let word = Array("return".utf8)

  /// True if a slash begins a regular expression here, and does not divide.
  private var beginsExpression: Bool {
    let end = dense.last == UInt8(ascii: " ") ? dense.count - 1 : dense.count
    guard let last = dense[..<end].last else { return true }
    return Self.openers.contains(last) || ends(with: Self.word, before: end)
  }

  /// True if the space at this place keeps two tokens apart: two names, or two signs that would become one operator.
  private func separates(_ index: Int) -> Bool {
    guard let before = dense.last, index + 1 < bytes.count else { return false }
    let after = bytes[index + 1]
    if Self.isInName(before), Self.isInName(after) { return true }
    return before == after && (before == UInt8(ascii: "+") || before == UInt8(ascii: "-"))
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isInNumber(_ byte: UInt8?) -> Bool {
    byte.map { isInName($0) || $0 == UInt8(ascii: ".") } == true
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "#"), 0x80...:
      true
    default: false
    }
  }
}
