import FootageBase
import Testing

@testable import FootageCore

/// The requests for a robot, translated for a server of many robots.
@Suite struct FleetRequestTests {
  @Test(
    arguments: [
      ("/recordings", "/recordings?robot=r%207"),
      (
        "/recordings?limit=200&camera=front&state=ready",
        "/recordings?limit=200&robot=r%207&camera=r%207%3Afront&state=ready"
      ),
      ("/cameras", "/cameras?robot=r%207"),
      ("/recordings/front/a%20b.json", "/recordings/r%207/front/a%20b.json"),
      ("/recordings/x.mp4?v=00112233445566aa", "/recordings/r%207/x.mp4?v=00112233445566aa"),
      ("/recordings/x.mp4?keyframe=1.5", "/recordings/r%207/x.mp4?keyframe=1.5"),
      ("/recordings/x.index", "/recordings/r%207/x.index"), ("/recordings/x.manifest", "/recordings/r%207/x.manifest"),
      ("/cameras/front.json", "/cameras/r%207%3Afront.json"), ("/cameras/.json", "/cameras/r%207%3A.json"),
      ("/cameras/front.json?rows=films", "/cameras/r%207%3Afront.json?rows=films"),
      ("/recordings/x.mp4?keyframe=1.5&track=2", "/recordings/r%207/x.mp4?keyframe=1.5&track=2"),
      ("/hls/00112233445566aa/3.m4s", "/hls/00112233445566aa/3.m4s"),
      ("/hls/00112233445566aa00112233445566aa/3.m4s", "/hls/00112233445566aa00112233445566aa/3.m4s"),
      // Only the robot itself can answer or do these.
      ("/recordings/x.keep", nil), ("/recordings/x.raw", nil), ("/cameras/front.keep", nil), ("/health", nil),
      ("/cameras/front.m3u8?from=2026-11-20T00:00:00Z", nil), ("/offload", nil), ("/", nil),
      ("/recordings?after=nonsense", nil),
    ] as [(String, String?)])
  func `each target is the robot's at the other server`(target: String, there: String?) {
    #expect(FleetRequest(MediaRequest(target), of: "r 7")?.request.target == there)
  }

  @Test func `what is done is done to the robot alone`() {
    var request = MediaRequest("/recordings/x.json")
    request.method = .delete
    #expect(FleetRequest(request, of: "r") == nil)
  }

  private func answer(_ target: String, _ text: String) throws -> String? {
    let request = try #require(FleetRequest(MediaRequest(target), of: "r7"))
    let json = try #require(JSONValue(Array(text.utf8)))
    return request.document(json).map {
      var writer = JSONWriter()
      writer.value($0)
      return writer.text
    }
  }

  @Test(
    arguments: [
      (
        "/recordings/front/x.json",
        #"{"name":"r7/front/x","camera":"r7:front","robot":"r7","size":1.50,"url":"/recordings/r7/front/x.mp4","future":[1]}"#,
        #"{"camera":"front","future":[1],"name":"front/x","size":1.50,"url":"/recordings/front/x.mp4"}"#
      ),
      ("/recordings/x.json", #"{"name":"r7/x","camera":"r7:"}"#, #"{"camera":null,"name":"x"}"#),
      ("/recordings/x.json", #"{"name":"r70/x"}"#, nil), ("/recordings/x.json", #"{"camera":"r7:"}"#, nil),
      ("/recordings/x.json", "[]", nil),
      (
        "/recordings", #"{"robot":{"name":"fleet"},"recordings":[{"name":"r7/x"}],"next":null}"#,
        #"{"next":null,"recordings":[{"camera":null,"name":"x"}]}"#
      ), ("/recordings", #"{"recordings":[{"name":"r7/x"},{"name":"r8/x"}],"next":null}"#, nil),
      (
        "/cameras", #"{"cameras":[{"name":"r7:front","robot":"r7","live":false},{"name":"r7:"}]}"#,
        #"{"cameras":[{"live":false,"name":"front"},{"name":null}]}"#
      ), ("/cameras", #"{"cameras":[{"name":"r8:front"}]}"#, nil),
      (
        "/cameras/front.json", #"{"camera":"r7:front","spans":[{"from":1,"recordings":[["r7/x","t",1]]},{"from":2}]}"#,
        #"{"camera":"front","spans":[{"from":1,"recordings":[["x","t",1]]},{"from":2}]}"#
      ), ("/cameras/front.json", #"{"camera":"r7:front","spans":[{"recordings":[["r8/x"]]}]}"#, nil),
      ("/cameras/front.json", #"{"camera":"r7:front","spans":[{"recordings":[[]]}]}"#, nil),
    ] as [(String, String, String?)])
  func `its documents name what the robot names, and nothing of others`(target: String, text: String, own: String?)
    throws
  {
    #expect(try answer(target, text) == own)
  }

  @Test func `where its list ended, its list goes on`() throws {
    // A position at the time 5, after `x`.
    let page = try #require(try answer("/recordings", #"{"recordings":[],"next":"5_78"}"#))
    #expect(page == #"{"next":"5_2f78","recordings":[]}"#)
    let next = try #require(FleetRequest(MediaRequest("/recordings?after=5_2f78"), of: "r7"))
    #expect(next.goesOn && next.request.target == "/recordings?robot=r7&after=5_78")
    #expect(FleetRequest(MediaRequest("/recordings?after=5_78"), of: "r7")?.goesOn == false)
  }
}
