import FootageBase
import FootageHTTP
import Testing

/// Parses a request head from its lines, which need no line ends.
func requestHead(_ lines: String...) throws -> RequestHead {
  try requestHead(text: (lines + ["", ""]).joined(separator: "\r\n"))
}

func requestHead(text: String) throws -> RequestHead {
  switch parse(text) {
  case .complete(let head, let byteCount):
    #expect(byteCount == text.utf8.count)
    return head
  case .incomplete: throw Unexpected("the head is incomplete: \(text.debugDescription)")
  case .refused(let refusal): throw Unexpected("\(refusal): \(text.debugDescription)")
  }
}

/// Returns a GET request for `/x` with these fields.
func get(_ fields: [String]) throws -> RequestHead {
  try requestHead(text: (["GET /x HTTP/1.1", "Host: robot"] + fields + ["", ""]).joined(separator: "\r\n"))
}

func parse(_ text: String, limits: HTTPLimits = .standard) -> RequestHeadParser.Outcome {
  parse(Array(text.utf8), limits: limits)
}

func parse(_ bytes: [UInt8], limits: HTTPLimits = .standard) -> RequestHeadParser.Outcome {
  var parser = RequestHeadParser(limits: limits)
  return parser.parse(bytes.borrowedSpan)
}

extension RequestHeadParser {
  /// Parses a copy of the bytes, which lives as long as it is read.
  mutating func parse(copyOf bytes: some Sequence<UInt8>) -> Outcome {
    let copy = Array(bytes)
    return parse(copy.borrowedSpan)
  }
}

/// Returns the reason for which the bytes are refused; nil if they are accepted.
func refusal(of text: String, limits: HTTPLimits = .standard) -> MessageRefusal.Reason? {
  if case .refused(let refusal) = parse(text, limits: limits) { refusal.reason } else { nil }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

func text(_ bytes: ArraySlice<UInt8>?) -> String? { bytes.map { text($0) } }

struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
