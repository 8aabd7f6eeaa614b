internal import FootageAnswers
internal import FootageBase

/// An option of the server with its value and the origin of the value, for `footage doctor`.
package struct ServerSetting: Hashable, Sendable {
  /// The name of the option, without its dashes.
  package let option: String
  /// The value; nil if there is none, so that the server decides.
  package let value: String?
  /// The place where it is set, in words; nil if it is not set.
  package var origin: String?
  /// True if the value is the option's default.
  package let isStandard: Bool

  package init(option: String, value: String?, origin: String?, isStandard: Bool) {
    self.option = option
    self.value = value
    self.origin = origin
    self.isStandard = isStandard
  }

  /// The setting in words, like `--keep-free is 15% (FOOTAGE_KEEP_FREE in /etc/default/footage)`.
  package var words: String {
    "--\(option) is \(value ?? "not given")\(origin.map { " (\($0))" } ?? " [default]")"
  }

  /// - Returns: nil if a member that every setting has is missing.
  init?(_ json: JSONValue) {
    guard let option = json["option"]?.string, let isStandard = json["standard"]?.bool else { return nil }
    self.init(option: option, value: json["value"]?.string, origin: json["origin"]?.string, isStandard: isStandard)
  }

  /// Reads a document that `document(of:)` wrote.
  static func list(_ json: JSONValue) -> [ServerSetting]? { json["settings"]?.array?.compactMap(ServerSetting.init) }

  static func document(of settings: [ServerSetting]) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("settings") { json in
        json.array(settings) { json, setting in
          json.object { json in
            json.member("option", setting.option)
            json.member("value", setting.value)
            json.member("origin", setting.origin)
            json.member("standard", setting.isStandard)
          }
        }
      }
    }
    return json.document
  }
}
