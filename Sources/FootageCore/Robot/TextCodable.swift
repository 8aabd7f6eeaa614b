internal import FootageAPI
internal import FootageBase

/// Values that an app stores as one string each, in the forms that robots and people write, so that later versions can
/// read them.
extension Decoder {
  /// - Parameter read: returns nil if the text is not such a value.
  fileprivate func value<Value>(_ read: (String) -> Value?) throws -> Value {
    let container = try singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = read(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text.prefix(200))' is not a valid \(Value.self)")
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

/// Encoded in RFC 3339 form: `2026-11-20T10:15:30.250Z`.
extension UnixTime: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.value { UnixTime(rfc3339: $0) } }
  public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

/// Encoded as `robot.local:8443`.
extension RobotAddress: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.value { RobotAddress($0) } }
  public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

/// Encoded as `sha256/` and base64.
extension PublicKeyPin: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.value { PublicKeyPin($0) } }
  public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

/// Encoded as the robot's own JSON, including members that this version of the library does not know.
extension RobotRecording: Codable {
  public init(from decoder: any Decoder) throws { self = try decoder.value { RobotRecording(itemJSON: $0) } }

  public func encode(to encoder: any Encoder) throws { try encoder.encode(text: keptJSON) }
}
