import Testing

@testable import FootageServer

@Suite struct RouteTests {
  @Test(arguments: [
    ("/", Route.page), ("/health", .health), ("/he%61lth", .health), ("/%72ecordings", .list), ("/recordings", .list),
    ("/recordings/x.mp4", .recording(name: "x", .mp4)), ("/%72ecordings/x%2Emp4", .recording(name: "x", .mp4)),
    ("/recordings/x%2ejso%6E", .recording(name: "x", .json)),
    ("/recordings/a%20b%2Dc.mp4", .recording(name: "a b-c", .mp4)),
    // What is escaped for a reason is data of its part, and never structure.
    ("/recordings%2Fx.mp4", .unknown), ("%2Fhealth", .unknown),
    ("/recordings/a%2Fb.mp4", .recording(name: "a/b", .mp4)),
    // An escape is read once: what comes out is not read again.
    ("/recordings/%2561.mp4", .recording(name: "%61", .mp4)), ("/%2568ealth", .unknown),
    ("/recordings/%ff.mp4", .unknown), ("/Health", .unknown), ("/recordings/x.MP4", .unknown),
  ])
  func `a path names a resource however its letters are written`(path: String, route: Route) {
    #expect(Route(Array(path.utf8)[...]) == route)
  }
}
