/// A connection to a database, of another library than Footage's.
public struct Connection: Sendable {
  public let path: String

  public init(_ path: String) { self.path = path }
}
