import FootageBase
import FootageHTTP
import Testing

@Suite struct EntityTagTests {
  @Test(arguments: [
    ("\"\"", false), ("\"abc\"", false), ("W/\"abc\"", true), ("\"a,b\\!#~\"", false), ("\"ü\"", false),
  ])
  func `these are tags`(field: String, isWeak: Bool) throws {
    let tag = try #require(EntityTag(field))
    #expect(tag.isWeak == isWeak)
    #expect(tag.description == field)
  }

  @Test(arguments: [
    "", "abc", "\"", "\"abc", "abc\"", "w/\"abc\"", "W/abc", "W/", "W \"abc\"", "\"a b\"", "\"a\"b\"", "\"a\u{7F}\"",
    "\"a\n\"", "*", " \"a\"", "\"a\" ",
  ])
  func `these are none`(field: String) {
    #expect(EntityTag(field) == nil)
  }

  @Test func `a strong tag is made of its characters`() {
    #expect(EntityTag(strong: "0123abcd")?.description == "\"0123abcd\"")
    #expect(EntityTag(strong: "a\"b") == nil)
    #expect(EntityTag(strong: "a\r\nX: y") == nil)
  }

  /// The table of RFC 9110 §8.8.3.2.
  @Test(arguments: [
    ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false), ("W/\"1\"", "\"1\"", false, true),
    ("\"1\"", "\"1\"", true, true),
  ])
  func `tags are compared strongly and weakly`(one: String, other: String, strongly: Bool, weakly: Bool) throws {
    let one = try #require(EntityTag(one))
    let other = try #require(EntityTag(other))
    for (one, other) in [(one, other), (other, one)] {
      #expect(one.isListed(in: other.bytes.borrowedSpan, by: .strong) == strongly)
      #expect(one.isListed(in: other.bytes.borrowedSpan, by: .weak) == weakly)
      #expect(one.isOnly(in: other.bytes.borrowedSpan) == strongly)
    }
  }

  @Test(arguments: [
    ("\"a\"", true), ("\"x\",\"a\"", true), ("\"x\" , \"a\" ,", true), (",, \"a\"", true), (" * ", true),
    ("\"a\",\"x\"", true), ("\"x,\",\"a\"", true), ("\"x\"", false), ("\"a", false), ("*, \"x\"", false),
    ("\"x\" \"a\"", false), ("\"x\"\"a\"", false), ("x, \"a\"", false), ("", false), ("\"A\"", false),
    ("\"aa\"", false),
  ])
  func `a tag is looked up in a list`(list: String, isListed: Bool) throws {
    let tag = try #require(EntityTag("\"a\""))
    #expect(tag.isListed(in: Array(list.utf8).borrowedSpan, by: .strong) == isListed)
    #expect(tag.isListed(in: Array(list.utf8).borrowedSpan, by: .weak) == isListed)
  }
}
