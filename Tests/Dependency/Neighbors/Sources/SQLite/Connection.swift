/// A database connection from a library other than Footage.
public struct Connection: Sendable {
  public let path: String

  public init(_ path: String) { self.path = path }
}
