/// A path with the two members of Apple's type that the app uses.
public struct FilePath: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ text: String) { description = text }

  public func appending(_ component: String) -> FilePath { FilePath("\(description)/\(component)") }
}
