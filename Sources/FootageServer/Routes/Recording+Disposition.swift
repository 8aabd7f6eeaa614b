internal import FootageBase
internal import FootageLibrary

extension Recording {
  /// The header value with the name under which a browser saves the file (RFC 6266 §4.3): the name of the recording's
  /// file.
  var disposition: String {
    let name = path.text.split(separator: "/").last.map(String.init) ?? "recording"
    let plain = name.unicodeScalars.map { scalar in
      // Old clients cannot read these characters, or would take them for the end of the name.
      scalar.isASCII && scalar.value >= 0x20 && scalar != "\"" && scalar != "\\" && scalar != "%"
        ? Character(scalar) : "_"
    }
    return "attachment; filename=\"\(String(plain))\"; filename*=UTF-8''\(PercentEncoding.encodePath(name))"
  }
}
