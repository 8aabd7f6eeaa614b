extension ArraySlice<UInt8> {
  /// Whether the bytes end with those of a text.
  package func hasSuffix(_ text: String) -> Bool {
    count >= text.utf8.count && suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
