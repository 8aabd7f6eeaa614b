/// A name by which something is found, told from others byte by byte, as the file system does.
///
/// `String` takes two spellings of `é` for equal: by it, one of two files with such names would take the other's place.
struct NameKey: Hashable, Sendable {
  private let text: String

  init(_ text: String) { self.text = text }

  static func == (left: NameKey, right: NameKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    // Safe because the hasher reads the bytes during the call alone.
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
