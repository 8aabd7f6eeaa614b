import Testing

/// The transport by which a test's client reaches the server. A test has the same body for all of them.
package enum Transport: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case plain
  case tls12
  case tls13

  package var testDescription: String { rawValue }
}
