/// The page as it is written: markup, style, and modules of a script (ECMA-262 §16.2), which become one document.
///
/// Each module becomes a constant, made by a function that has the module's text and returns what it exports; an import
/// takes names out of that constant. So no name of a module is seen in another one, and the document needs one script
/// block alone. What the modules keep to: imports at the top, a line each, of names in braces; each export a declaration
/// of one name at the beginning of its line, which is not assigned to anew; no text over several lines.
struct PageSource {
  let markup: String
  let style: String
  /// By the names that imports have.
  let modules: [String: String]

  /// - Parameter entry: the module that imports all others.
  func document(entry: String) -> String {
    var joined: [String] = []
    var done: Set<String> = []
    join(entry, &joined, &done)
    return
      Self.dense(markup: Self.trimmed(markup))
      .replacing(
        Self.dense(markup: "<link rel=\"stylesheet\" href=\"style.css\">"),
        with: "<style>\n\(Self.dense(style))</style>"
      )
      .replacing(
        Self.dense(markup: "<script type=\"module\" src=\"\(entry)\"></script>"),
        with: "<script>\n'use strict';\n\(joined.joined())</script>")
  }

  /// Those that a module imports come before it.
  private func join(_ name: String, _ joined: inout [String], _ done: inout Set<String>) {
    guard done.insert(name).inserted, let text = modules[name] else { return }
    var lines: [Substring] = []
    var exports: [Substring] = []
    // The arrows of functions stand in no text, and no text has a quote behind a colon.
    for line in Self.dense(script: Self.trimmed(text).replacing(" => ", with: "=>")).split(separator: "\n") {
      if let imported = Self.imported(by: line) {
        join(imported.module, &joined, &done)
        let names = imported.names.replacing(", ", with: ",")
        lines.append("const{\(names)}=\(Self.constant(imported.module));")
      } else if let exported = Self.exported(by: line) {
        exports.append(exported.name)
        lines.append(exported.declaration)
      } else {
        lines.append(line)
      }
    }
    joined.append(
      "const \(Self.constant(name))=(()=>{\n\(lines.joined(separator: "\n"))\nreturn{\(exports.joined(separator: ","))}})();\n"
    )
  }

  // No regular expressions: they are compiled anew at each line, which took most of a server's start.

  /// What `import {NAMES} from './MODULE';` says; nil of any other line.
  private static func imported(by line: Substring) -> (names: Substring, module: String)? {
    let (opening, closing, end) = ("import {", "} from './", "';")
    guard line.hasPrefix(opening), line.hasSuffix(end), let brace = line.lastIndex(of: "}") else { return nil }
    let rest = line[brace...]
    guard rest.hasPrefix(closing) else { return nil }
    return (line[..<brace].dropFirst(opening.count), String(rest.dropFirst(closing.count).dropLast(end.count)))
  }

  /// What an export declares, and under which name; nil of any other line.
  private static func exported(by line: Substring) -> (declaration: Substring, name: Substring)? {
    let word = "export "
    guard line.hasPrefix(word) else { return nil }
    let declaration = line.dropFirst(word.count)
    for kind in ["const ", "async function ", "function ", "function* ", "class "] where declaration.hasPrefix(kind) {
      let name = declaration.dropFirst(kind.count).prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
      if !name.isEmpty { return (declaration, name) }
    }
    return nil
  }

  /// Markup without the quotes around values of letters, digits and hyphens (HTML Living Standard, §13.1.2.3).
  private static func dense(markup: String) -> String {
    let bytes = Array(markup.utf8)
    let (quote, opening) = (UInt8(ascii: "\""), Array("=\"".utf8))
    var dense: [UInt8] = []
    dense.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      dense.append(byte)
      guard byte == opening[0], rest.first == opening[1] else { continue }
      let value = rest.dropFirst().prefix { $0 != quote }
      let end = rest.dropFirst(value.count + 2)
      // A slash would become part of the value.
      guard !value.isEmpty, value.allSatisfy(isPlain), end.first != UInt8(ascii: "/") else { continue }
      dense += value
      rest = end
    }
    return String(decoding: dense, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// A script without the blank between a name's colon and a text.
  private static func dense(script: String) -> String {
    let bytes = Array(script.utf8)
    let blank = Array(": '".utf8)
    var dense: [UInt8] = []
    dense.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      let isLeftOut =
        byte == blank[1] && index >= 2 && bytes[(index - 1)...].starts(with: blank)
        && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[index - 2] | 0x20)
      if !isLeftOut { dense.append(byte) }
    }
    return String(decoding: dense, as: UTF8.self)
  }

  /// What its constant is called.
  private static func constant(_ module: String) -> String { "$" + module.prefix { $0 != "." } }

  /// A style without the blanks that mean nothing (CSS Syntax Module Level 3, §4): none of them stands in a string.
  private static func dense(_ style: String) -> String {
    trimmed(style).replacing("; }", with: "}").replacing(", ", with: ",").replacing(": ", with: ":").replacing(
      "; ", with: ";"
    )
    .replacing(" {", with: "{").replacing("{ ", with: "{").replacing(" }", with: "}").replacing(";\n", with: ";")
    .replacing("{\n", with: "{").replacing("}\n", with: "}").replacing(",\n", with: ",").replacing(";}", with: "}")
  }

  /// Without blanks at the beginnings of lines, and without the lines that are comments.
  private static func trimmed(_ text: String) -> String {
    var isComment = false
    var lines: [Substring] = []
    for line in text.split(separator: "\n") {
      let rest = line.drop { $0 == " " }
      if rest.hasPrefix("/*") { isComment = true }
      let isLeftOut = isComment || rest.hasPrefix("//")
      if isComment, rest.contains("*/") { isComment = false }
      if !isLeftOut { lines.append(rest) }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
