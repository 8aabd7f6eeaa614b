/// A name that is compared by its bytes, as robots and file systems compare names. For example, an `é` written as one
/// code point differs from an `é` written as two, although Swift's strings treat them as equal.
public struct ExactName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The name; nil for no name.
  public let text: String?

  /// - Parameter text: nil for no name.
  public init(_ text: String?) { self.text = text }

  public var description: String { text ?? "" }

  public static func == (one: ExactName, other: ExactName) -> Bool {
    switch (one.text, other.text) {
    case (nil, nil): true
    case (let own?, let others?): own.utf8.elementsEqual(others.utf8)
    default: false
    }
  }

  /// Orders names by their bytes; nil is ordered after every name.
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
    // Safe because the hasher reads the bytes only during the call.
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No UTF-8 text contains this byte. It separates two consecutive names, so that moving a byte from one to the
    // other changes the hash.
    hasher.combine(UInt8.max)
  }
}
