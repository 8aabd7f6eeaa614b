/// What Apple's Foundation has, and Linux's has not.
extension URL {
  public static var applicationSupportDirectory: URL { homeDirectory.appending(path: "Library/Application Support") }
}
