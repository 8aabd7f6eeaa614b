import FootageBase
import Testing

@testable import FootageHTTP

@Suite struct WaitPreferenceTests {
  @Test(
    arguments: [
      // RFC 7240 §4.3 and its examples.
      ("wait=100", 100), ("respond-async, wait=10", 10), ("WAIT=7", 7), ("wait = 7", 7), (" wait=1\t", 1),
      ("wait=0005", 5),
      // More than the longest wait.
      ("wait=240", 240), ("wait=241", 240), ("wait=99999999999999999999999", 240),
      // The first preference counts.
      ("wait=3, wait=5", 3), ("wait=3;a=b;c=\"d,e\" , wait=5", 3),
      // Other preferences, with and without values and parameters.
      ("return=minimal; foo=\"some, wait=5; \\\" value\", wait=9", 9), ("a;;b, wait=9", 9), (",, ,wait=9", 9),
      ("lenient=\"\", wait=9", 9),
    ] as [(String, Int64)])
  func `a number of seconds is taken, up to four minutes`(field: String, seconds: Int64) {
    #expect(WaitPreference(Array(field.utf8).borrowedSpan)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "wait", "wait=", "wait=0", "wait=-5", "wait=+5", "wait=1.5", "wait=abc", "wait=\"10\"", "wait=\"\"",
    "waiting=5", "foo=\"wait=5", "foo=bar baz, wait=5", "@, wait=5", "wait, wait=5", "x;=, wait=5", "wait=5 5",
    "foo=\"a\\", "wait=5;=",
  ])
  func `what is no number of seconds, or stands behind a fault, is ignored`(field: String) {
    #expect(WaitPreference(Array(field.utf8).borrowedSpan) == nil)
  }

  @Test func `the lines of a request are read as one list`() throws {
    let request = try get(["Prefer: respond-async", "prefer: wait=20"])
    #expect(WaitPreference(of: request)?.seconds == 20)
    #expect(WaitPreference(of: request)?.applied == "wait=20")
    #expect(WaitPreference(of: try get([])) == nil)
  }
}
