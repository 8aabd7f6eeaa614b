extension ArraySlice<UInt8> {
  /// Returns true if the bytes end with those of the text.
  package func hasSuffix(_ text: String) -> Bool {
    count >= text.utf8.count && suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
