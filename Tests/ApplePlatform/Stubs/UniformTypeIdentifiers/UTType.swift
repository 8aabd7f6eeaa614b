/// A kind of file.
public struct UTType: Hashable, Sendable {
  public let identifier: String

  public static let pkcs12 = UTType(identifier: "com.rsa.pkcs-12")
}
