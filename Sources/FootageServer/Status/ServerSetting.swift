internal import FootageAnswers
internal import FootageBase

/// An option of the server with its value, and where that is from: for `footage doctor`.
package struct ServerSetting: Hashable, Sendable {
  /// Without its dashes.
  package let option: String
  /// Nil where there is none, and the server decides.
  package let value: String?
  /// Where it is set, in words; nil where nobody has set it.
  package var origin: String?
  /// True if the value is the one that the option has where nobody says anything.
  package let isStandard: Bool

  package init(option: String, value: String?, origin: String?, isStandard: Bool) {
    self.option = option
    self.value = value
    self.origin = origin
    self.isStandard = isStandard
  }

  /// `--keep-free is 15% (FOOTAGE_KEEP_FREE in /etc/default/footage)`
  package var words: String {
    "--\(option) is \(value ?? "not given")\(origin.map { " (\($0))" } ?? " [default]")"
  }

  /// - Returns: nil where what every setting has is missing.
  init?(_ json: JSONValue) {
    guard let option = json["option"]?.string, let isStandard = json["standard"]?.bool else { return nil }
    self.init(option: option, value: json["value"]?.string, origin: json["origin"]?.string, isStandard: isStandard)
  }

  /// Reads what `document(of:)` wrote.
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
