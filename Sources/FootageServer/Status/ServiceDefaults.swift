internal import Formats
internal import Storage
internal import FootageSystem

/// What the package's service serves, as its unit and `/etc/default/footage` say: for commands that are run beside it.
package struct ServiceDefaults: Sendable {
  private let values: [String: String]

  private static let file = "/etc/default/footage"
  private static let certificates = "/etc/footage"
  private static let largestFile: UInt64 = 1 << 16
  /// As the unit has it.
  private static let ofUnit = [
    "FOOTAGE_RECORDINGS": "/srv/recordings", "FOOTAGE_CERTS": certificates, "FOOTAGE_STATE": "/var/lib/footage",
  ]

  package subscript(name: String) -> String? { values[name] }

  /// Nothing where the package is not installed. Blocks.
  package static func installed() -> ServiceDefaults {
    guard FileTree.exists(file) || FileTree.exists(certificates) else { return ServiceDefaults([:], "") }
    guard let file = try? RandomAccessFile(path: file, followingLinks: true), file.length <= largestFile,
      let bytes = try? file.bytes(at: 0, count: Int(file.length))
    else { return ServiceDefaults(ofUnit, "") }
    return ServiceDefaults(ofUnit, String(decoding: bytes, as: UTF8.self))
  }

  /// - Parameter text: lines `NAME=VALUE`, as systemd reads them (man 5 systemd.exec, `EnvironmentFile=`); of quotes,
  ///   those around a value are taken off.
  init(_ values: [String: String], _ text: String) {
    var values = values
    for line in text.split(whereSeparator: \.isNewline) {
      let line = Self.trimmed(line[...])
      guard let first = line.first, first != "#", first != ";", let sign = line.firstIndex(of: "=") else { continue }
      var value = Self.trimmed(line[line.index(after: sign)...])
      if let quote = value.first, value.count > 1, quote == "\"" || quote == "'", value.last == quote {
        value = value.dropFirst().dropLast()
      }
      values[String(Self.trimmed(line[..<sign]))] = String(value)
    }
    self.values = values
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop(while: \.isWhitespace)
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return start.prefix(0) }
    return start[...end]
  }
}
