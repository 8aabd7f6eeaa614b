import FootageHTTP
import Testing

/// The sample was changed at `modified`, and is requested a day later.
@Suite struct PreconditionsTests {
  static let now: Int64 = 1_700_000_000
  static let before = "Mon, 13 Nov 2023 22:13:19 GMT"
  static let modified = "Mon, 13 Nov 2023 22:13:20 GMT"
  static let after = "Mon, 13 Nov 2023 22:13:21 GMT"

  private func status(_ fields: [String], method: String = "GET", lastModified: Int64? = 1_699_913_600) throws -> Int {
    let lines = ["\(method) /x HTTP/1.1", "Host: a"] + fields + ["", ""]
    let request = try requestHead(text: lines.joined(separator: "\r\n"))
    return ResponsePlan(for: request, of: .sample(lastModified: lastModified), now: Self.now).status.code
  }

  /// A field's value, or nil for no field, with the result of that field alone: true, false, or nil if it is to be
  /// ignored.
  typealias Choice = (value: String?, holds: Bool?)

  @Test(arguments: ["GET", "HEAD"])
  func `every combination of conditions is answered in the order of RFC 9110 §13.2.2`(method: String) throws {
    let ifMatch: [Choice] = [
      (nil, nil), ("*", true), ("\"abc\"", true), ("\"x\", \"abc\"", true), ("W/\"abc\"", false), ("\"x\"", false),
    ]
    let unmodifiedSince: [Choice] = [
      (nil, nil), (Self.before, false), (Self.modified, true), (Self.after, true), ("yesterday", nil),
    ]
    let ifNoneMatch: [Choice] = [
      (nil, nil), ("*", false), ("\"abc\"", false), ("W/\"abc\"", false), ("\"x\", W/\"y\"", true),
    ]
    let modifiedSince: [Choice] = [
      (nil, nil), (Self.before, true), (Self.modified, false), (Self.after, false), ("0", nil),
    ]
    let ifRange: [Choice] = [
      (nil, nil), ("\"abc\"", true), ("W/\"abc\"", false), ("\"x\"", false), (Self.modified, true),
      (Self.before, false),
      (Self.after, false), ("x", false),
    ]
    let range: [Choice] = [(nil, nil), ("bytes=0-1", true), ("bytes=9999-", false)]
    var wrong: [String] = []
    for match in ifMatch {
      for unmodified in unmodifiedSince {
        for noneMatch in ifNoneMatch {
          for modified in modifiedSince {
            for ifRange in ifRange {
              for range in range {
                let expected: Int
                if match.holds == false || (match.value == nil && unmodified.holds == false) {
                  expected = 412
                } else if noneMatch.holds == false || (noneMatch.value == nil && modified.holds == false) {
                  expected = 304
                } else if method == "HEAD" || range.value == nil || ifRange.holds == false {
                  expected = 200
                } else {
                  expected = range.holds == true ? 206 : 416
                }
                let fields = [
                  ("Range", range), ("If-Range", ifRange), ("If-Modified-Since", modified),
                  ("If-None-Match", noneMatch),
                  ("If-Unmodified-Since", unmodified), ("If-Match", match),
                ].compactMap { name, choice in choice.value.map { "\(name): \($0)" } }
                let status = try status(fields, method: method)
                if status != expected { wrong.append("\(fields): \(status), not \(expected)") }
              }
            }
          }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count) wrong, first: \(wrong.first ?? "")")
  }

  @Test(arguments: [
    (["If-Match: \"x\"", "If-Match: \"abc\""], 200), (["If-Match: \"x\"", "If-Match: \"y\""], 412),
    (["If-None-Match: \"x\"", "If-None-Match: \"abc\""], 304), (["If-Match:"], 412), (["If-None-Match:"], 200),
    (["If-None-Match: abc"], 200), (["If-Match: abc"], 412), (["If-None-Match: \"*\""], 200),
    // Members after a syntax error match nothing; members before it do.
    (["If-None-Match: abc, \"abc\""], 200), (["If-None-Match: \"abc\", abc"], 304),
    // A field that is to be ignored still disables the weaker one.
    (["If-None-Match: abc", "If-Modified-Since: \(after)"], 200),
    // A repeated date field is not a date.
    (["If-Modified-Since: \(after)", "If-Modified-Since: \(after)"], 200),
    (["If-Unmodified-Since: \(before)", "If-Unmodified-Since: \(before)"], 200),
    (["Range: bytes=0-1", "If-Range: \"abc\"", "If-Range: \"abc\""], 200),
    (["Range: bytes=0-1", "If-Range: \"abc\", \"abc\""], 200), (["Range: bytes=0-1", "If-Range: *"], 200),
    // The other two forms of a date.
    (["If-Modified-Since: Monday, 13-Nov-23 22:13:20 GMT"], 304),
    (["If-Modified-Since: Mon Nov 13 22:13:20 2023"], 304),
    (["Range: bytes=0-1", "If-Range: Mon Nov 13 22:13:20 2023"], 206),
  ])
  func `repeated and broken conditions`(fields: [String], expected: Int) throws {
    #expect(try status(fields) == expected)
  }

  @Test(arguments: [(-2, 206), (-1, 206), (0, 200), (1, 200)] as [(Int64, Int)])
  func `a date in If-Range counts when it is a second older than Date`(offset: Int64, expected: Int) throws {
    let date = text(HTTPDate.bytes(unixSeconds: Self.now + offset))
    #expect(try status(["Range: bytes=0-1", "If-Range: \(date)"], lastModified: Self.now + offset) == expected)
  }

  @Test(arguments: [Self.now + 100, nil])
  func `without a modification time that can be, dates are ignored`(lastModified: Int64?) throws {
    for date in [Self.before, text(HTTPDate.bytes(unixSeconds: Self.now + 200))] {
      #expect(try status(["If-Modified-Since: \(date)"], lastModified: lastModified) == 200)
      #expect(try status(["If-Unmodified-Since: \(date)"], lastModified: lastModified) == 200)
      #expect(try status(["Range: bytes=0-1", "If-Range: \(date)"], lastModified: lastModified) == 200)
    }
  }

  @Test func `a method that changes something gets 412 where a GET gets 304`() throws {
    #expect(try status(["If-None-Match: *"], method: "PUT") == 412)
    #expect(try status(["If-Modified-Since: \(Self.after)"], method: "PUT") == 200)
    #expect(try status(["Range: bytes=0-1"], method: "PUT") == 200)
  }
}
