/// What `footage inspect` shows of a file, broken ones too.

package import Formats
package import Storage

package struct Inspection: Sendable {
  /// Of the file, in bytes.
  package let length: UInt64

  /// Looks into a file; what cannot be read becomes a fault. Reads headers only. May block.
  package static func of(_ source: some ByteSource) -> Inspection { Inspection(length: source.length) }

  /// For a person, lines with their ends.
  package var text: String { "\(length) bytes\n" }

  /// For programs, one object.
  package func write(json: inout JSONWriter) { json.object { $0.member("length", length) } }
}
