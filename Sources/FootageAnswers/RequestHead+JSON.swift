package import FootageHTTP

extension RequestHead {
  /// True if the request declares its body as JSON, which no form of a foreign page can do (Fetch standard, §2.2.2).
  package var hasJSON: Bool {
    guard let type = value(of: .contentType)?.split(separator: UInt8(ascii: ";")).first else { return false }
    return String(decoding: type.filter { $0 > 0x20 }, as: UTF8.self).lowercased() == "application/json"
  }
}
