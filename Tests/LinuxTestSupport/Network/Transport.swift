import Testing

/// How a test's client reaches the server: the tests' bodies are the same for all.
package enum Transport: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case plain
  case tls12
  case tls13

  package var testDescription: String { rawValue }
}
