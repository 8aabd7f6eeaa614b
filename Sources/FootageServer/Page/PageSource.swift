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
      Self.trimmed(markup)
      .replacing("<link rel=\"stylesheet\" href=\"style.css\">", with: "<style>\n\(Self.dense(style))</style>")
      .replacing(
        "<script type=\"module\" src=\"\(entry)\"></script>",
        with: "<script>\n'use strict';\n\(joined.joined())</script>")
  }

  /// Those that a module imports come before it.
  private func join(_ name: String, _ joined: inout [String], _ done: inout Set<String>) {
    guard done.insert(name).inserted, let text = modules[name] else { return }
    var lines: [Substring] = []
    var exports: [Substring] = []
    // The arrows of functions stand in no text, and no text has a quote behind a colon.
    let dense = Self.trimmed(text).replacing(" => ", with: "=>").replacing(/([a-zA-Z]): '/) { "\($0.1):'" }
    for line in dense.split(separator: "\n") {
      if let imported = line.wholeMatch(of: /import \{(.+)\} from '\.\/(.+)';/) {
        join(String(imported.2), &joined, &done)
        lines.append("const {\(imported.1)} = \(Self.constant(String(imported.2)));")
      } else if let exported = line.prefixMatch(
        of: /export ((?:const|async function|function\*?|class) ([A-Za-z0-9]+).*)/)
      {
        exports.append(exported.2)
        lines.append(exported.1)
      } else {
        lines.append(line)
      }
    }
    joined.append(
      "const \(Self.constant(name)) = (() => {\n\(lines.joined(separator: "\n"))\nreturn {\(exports.joined(separator: ","))};\n})();\n"
    )
  }

  /// What its constant is called.
  private static func constant(_ module: String) -> String { "$" + module.prefix { $0 != "." } }

  /// A style without the blanks that mean nothing (CSS Syntax Module Level 3, §4): none of them stands in a string.
  private static func dense(_ style: String) -> String {
    trimmed(style).replacing("; }", with: "}").replacing(", ", with: ",").replacing(": ", with: ":").replacing(
      "; ", with: ";"
    )
    .replacing(" {", with: "{").replacing("{ ", with: "{").replacing(" }", with: "}")
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
