/// Members that Apple's Foundation has and Linux's does not.
extension URL {
  public static var applicationSupportDirectory: URL { homeDirectory.appending(path: "Library/Application Support") }

  public func startAccessingSecurityScopedResource() -> Bool { true }
  public func stopAccessingSecurityScopedResource() {}
}
