internal import FootageAPI
internal import FootageBase

/// What an app keeps as one text each: in the forms that robots and people write, so that later versions read them.
extension Decoder {
  /// - Parameter read: nil where the text says something else.
  fileprivate func value<Value>(_ read: (String) -> Value?) throws -> Value {
    let container = try singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = read(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text.prefix(200))' is no \(Value.self)")
    }
    return value
  }
}

extension Encoder {
  fileprivate func encode(text: String) throws {
    var container = singleValueContainer()
    try container.encode(text)
  }
}

/// As RFC 3339 writes it: `2026-11-20T10:15:30.250Z`.
extension UnixTime: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.value { UnixTime(rfc3339: $0) } }
  public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

/// `robot.local:8443`.
extension RobotAddress: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.value { RobotAddress($0) } }
  public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

/// `sha256/` and base64.
extension PublicKeyPin: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.value { PublicKeyPin($0) } }
  public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

/// The robot's own JSON, with what this version of the library does not know.
extension RobotRecording: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.value { RobotRecording(itemJSON: $0) } }

  public func encode(to encoder: any Encoder) throws { try encoder.encode(text: keptJSON) }
}
