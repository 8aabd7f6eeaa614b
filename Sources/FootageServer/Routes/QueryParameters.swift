/// The parameters behind the `?` of a target, as HTML forms and `URLSearchParams` write them.

internal import Formats

struct QueryParameters {
  private var values: [(name: [UInt8], value: [UInt8])] = []

  /// - Returns: nil where an escape is broken.
  init?(_ query: ArraySlice<UInt8>?) {
    guard let query else { return }
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decode(parts[0]), let value = Self.decode(parts.count > 1 ? parts[1] : []) else {
        return nil
      }
      values.append((name, value))
    }
  }

  /// The first value of that name; nil where there is none, or it is empty or not UTF-8.
  subscript(name: StaticString) -> String? {
    guard let value = values.first(where: { $0.name.elementsEqual(name.description.utf8) })?.value, !value.isEmpty
    else { return nil }
    return String(validating: value, as: UTF8.self)
  }

  private static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    PercentEncoding.decode(text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
  }
}
