/// A name that is told apart by its bytes, as robots and file systems tell names apart. To Swift's strings an `é` of one
/// letter equals one of two; here they differ.
public struct ExactName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Nil for none.
  public let text: String?

  /// - Parameter text: nil for none.
  public init(_ text: String?) { self.text = text }

  public var description: String { text ?? "" }

  public static func == (one: ExactName, other: ExactName) -> Bool {
    switch (one.text, other.text) {
    case (nil, nil): true
    case (let own?, let others?): own.utf8.elementsEqual(others.utf8)
    default: false
    }
  }

  /// Orders names by their bytes; no name comes last.
  public static func < (one: ExactName, other: ExactName) -> Bool {
    switch (one.text, other.text) {
    case (nil, _): false
    case (_, nil): true
    case (let own?, let others?): own.utf8.lexicographicallyPrecedes(others.utf8)
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(text == nil)
    guard var text else { return }
    // Safe because the hasher reads the bytes during the call alone.
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No text has this byte, so that two names after another are not those of other lengths.
    hasher.combine(UInt8.max)
  }
}
