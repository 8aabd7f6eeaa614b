/// An element of an answer, with all that is in it: what stores say is small.
package struct XMLElement: Hashable, Sendable {
  /// Its local part, without a namespace's prefix.
  package let name: String
  /// What stands directly in it, in one piece.
  package private(set) var text = ""
  package private(set) var children: [XMLElement] = []

  /// Elements of one document: a page of a listing has a thousand entries of some ten each.
  package static let countLimit = 40_000

  package init(_ name: String, text: String = "", _ children: [XMLElement] = []) {
    self.name = name
    self.text = text
    self.children = children
  }

  /// Reads a document.
  package init(parsing document: [UInt8]) throws(XMLError) {
    var reader = XMLReader(document)
    var open: [XMLElement] = []
    var root: XMLElement?
    var count = 0
    while let event = try reader.next() {
      switch event {
      case .start(let name):
        count += 1
        guard count <= Self.countLimit else { throw XMLError(.tooManyElements, at: 0) }
        open.append(XMLElement(name))
      case .text(let text):
        // The reader tells text within an element alone.
        if !open.isEmpty { open[open.count - 1].text += text }
      case .end:
        guard let element = open.popLast() else { break }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
      }
    }
    guard let root else { throw XMLError(.cutShort, at: document.count) }
    self = root
  }

  /// The first child of this name.
  package subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

  /// All children of this name.
  package func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// As a document.
  package var document: [UInt8] {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return bytes
  }

  private func write(into bytes: inout [UInt8]) {
    bytes += "<\(name)>".utf8
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "\r"): bytes += "&#13;".utf8
      default: bytes.append(byte)
      }
    }
    for child in children { child.write(into: &bytes) }
    bytes += "</\(name)>".utf8
  }
}
