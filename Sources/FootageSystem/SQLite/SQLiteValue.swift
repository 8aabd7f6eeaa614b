/// A value of a row or an argument, by SQLite's storage classes (sqlite.org/datatype3.html).
package enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// Creates a value, which is `.null` for nil.
  package init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }

  /// Creates a value, which is `.null` for nil.
  package init(_ value: Double?) { self = value.map { .real($0) } ?? .null }

  /// Creates a value, which is `.null` for nil.
  package init(_ value: String?) { self = value.map { .text($0) } ?? .null }
}
