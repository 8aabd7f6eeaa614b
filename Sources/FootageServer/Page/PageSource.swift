/// The sources of the page: markup, style, and the modules of a script (ECMA-262 §16.2), which become one document.
///
/// Each module becomes a constant. A function with the module's text makes it and returns the module's exports, which
/// become constants of the document; imports are therefore left out. Other names of one module are not visible in
/// another, and the document needs only one script block. The modules follow these rules: imports are at the top, one
/// per line, with names in braces. Each export is a declaration of one name at the beginning of its line. That name is
/// never assigned again, and no other module exports it. No text spans several lines. ``DenseScript`` has rules of its
/// own.
struct PageSource {
  let markup: String
  let style: String
  /// The text of each module, by the name that imports use.
  let modules: [String: String]

  /// Returns the document.
  ///
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
        with: "<script>\n'use strict';\n\(DenseScript.prologue)\n\(joined.joined())</script>")
  }

  /// Appends a module, after the modules that it imports.
  private func join(_ name: String, _ joined: inout [String], _ done: inout Set<String>) {
    guard done.insert(name).inserted, let text = modules[name] else { return }
    var lines: [Substring] = []
    var exports: [Substring] = []
    for line in Self.trimmed(text).split(separator: "\n") {
      if let imported = Self.imported(by: line) {
        join(String(imported), &joined, &done)
      } else if let exported = Self.exported(by: line) {
        exports.append(exported.name)
        lines.append(exported.declaration)
      } else {
        lines.append(line)
      }
    }
    let body = DenseScript.text(lines.joined(separator: "\n"))
    let names = "{\(exports.joined(separator: ","))}"
    let constant = "$\(name.prefix { $0 != "." })"
    joined.append("const \(constant)=(()=>{\n\(body)\nreturn\(names)})(),\(names)=\(constant);\n")
  }

  // No regular expressions here: they are compiled again for each line, which took most of a server's start.

  /// Returns the module of `import {NAMES} from './MODULE';`; nil for any other line.
  private static func imported(by line: Substring) -> Substring? {
    let (opening, closing, end) = ("import {", "} from './", "';")
    guard line.hasPrefix(opening), line.hasSuffix(end), let brace = line.lastIndex(of: "}") else { return nil }
    let rest = line[brace...]
    guard rest.hasPrefix(closing) else { return nil }
    return rest.dropFirst(closing.count).dropLast(end.count)
  }

  /// Returns the declaration of an export, and its name; nil for any other line.
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

  /// Returns markup without the quotes around attribute values that consist of letters, digits and hyphens (HTML Living
  /// Standard, §13.1.2.3).
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

  /// Returns a style without meaningless spaces (CSS Syntax Module Level 3, §4). The style must not contain strings
  /// with such spaces.
  private static func dense(_ style: String) -> String {
    trimmed(style).replacing("; }", with: "}").replacing(", ", with: ",").replacing(": ", with: ":").replacing(
      "; ", with: ";"
    )
    .replacing(" {", with: "{").replacing("{ ", with: "{").replacing(" }", with: "}").replacing(";\n", with: ";")
    .replacing("{\n", with: "{").replacing("}\n", with: "}").replacing(",\n", with: ",").replacing(";}", with: "}")
  }

  /// Returns text without spaces at the beginnings of lines, and without lines that are comments.
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
