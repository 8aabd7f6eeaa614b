/// An element of an answer with all of its contents. Stores' answers are small.
package struct XMLElement: Hashable, Sendable {
  /// The local part of its name, without the prefix of a namespace.
  package let name: String
  /// The text directly in the element, joined.
  package private(set) var text = ""
  package private(set) var children: [XMLElement] = []

  /// The largest number of elements in a document. A page of a listing has a thousand entries of about ten each.
  package static let countLimit = 40_000

  package init(_ name: String, text: String = "", _ children: [XMLElement] = []) {
    self.name = name
    self.text = text
    self.children = children
  }

  /// Parses a document.
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
        // The reader reports only text within an element.
        if !open.isEmpty { open[open.count - 1].text += text }
      case .end:
        guard let element = open.popLast() else { break }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
      }
    }
    guard let root else { throw XMLError(.cutShort, at: document.count) }
    self = root
  }

  /// Returns the first child with this name.
  package subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

  /// Returns all children with this name.
  package func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// The element as a document.
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
