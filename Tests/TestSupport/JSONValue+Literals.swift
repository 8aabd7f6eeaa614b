import FootageBase

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int) { self = .number(String(value)) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }

  package static func number(of value: Double) -> JSONValue { .number(String(value)) }

  /// The value as it is sent.
  package var text: String {
    var json = JSONWriter()
    json.value(self)
    return json.text
  }

  /// Parses a program's output or an answer's body.
  ///
  /// - Throws: `CommandFailure` if it is not JSON.
  package init(parsing text: String) throws {
    guard let value = JSONValue(Array(text.utf8)) else {
      throw CommandFailure(description: "this is not JSON: \(text)")
    }
    self = value
  }
}
