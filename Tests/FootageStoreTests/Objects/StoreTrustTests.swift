import FootageBase
import Foundation
import FootageFetching
import FootageSystem
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageStore

/// Trust over TLS: an impostor receives nothing, and only a verified store may set the clock.
@Suite struct StoreTrustTests {
  private static func policy(_ name: String) throws -> TrustPolicy {
    .pinned([try .certificate(Material.file("\(name).pem"))])
  }

  private static func authorities(_ name: String) throws -> TrustPolicy {
    .pinned(try TrustPin.authorities(Material.file("\(name).pem")))
  }

  @Test func `with its certificate pinned, or its authority, a store is talked to`() async throws {
    let pinned = try StoreScene(identity: Material.server("robot"), trusting: Self.policy("robot"))
    try await pinned.client.put("a", ObjectContent([1, 2, 3]))
    #expect(try await pinned.client.get("a").all() == [1, 2, 3])
    let issued = try StoreScene(
      identity: Material.server("issued", chain: ["middle"]), trusting: Self.authorities("root"))
    try await issued.client.put("a", ObjectContent([1, 2, 3]))
    #expect(try await issued.client.head("a")?.length == 3)
  }

  @Test(
    arguments: [
      ("another key", "twin", "robot", false), ("another authority", "issued", "strange", true),
      ("another name", "elsewhere", "root", true), ("no authority of the system", "issued", "", true),
    ])
  func `an impostor gets no byte and no credential`(
    what: String, shown: String, trusted: String, isAuthority: Bool
  ) async throws {
    let identity =
      shown == "elsewhere" ? try Material.elsewhere() : try Material.server(shown, chain: isAuthority ? ["middle"] : [])
    let policy =
      trusted.isEmpty
      ? TrustPolicy.systemAuthorities : isAuthority ? try Self.authorities(trusted) : try Self.policy(trusted)
    let scene = try StoreScene(identity: identity, trusting: policy)
    for _ in 0..<2 {
      let error = await #expect(throws: ObjectStoreError.self) {
        try await scene.client.put("a", ObjectContent([1]))
      }
      guard case .untrusted(.server)? = error?.reason else {
        Issue.record("\(what): \(error as Any)")
        return
      }
      #expect(error?.trouble == .untrusted)
      #expect(error?.description.contains("nothing was sent") == true)
      #expect(error?.description.contains("robot's console") == false)
    }
    #expect(scene.store.receivedByteCount == 0)
    #expect(scene.store.withContents { $0.keys } == [])
  }

  @Test func `a server without TLS in a store's place gets nothing`() async throws {
    let server = try FakeObjectStore()
    let client = try StoreScene.client(
      "https://127.0.0.1:\(server.port)/recordings", trusting: Self.policy("robot"), key: StoreScene.key())
    let error = await #expect(throws: ObjectStoreError.self) { _ = try await client.head("a") }
    #expect(error?.trouble == .untrusted || error?.trouble == .away)
    #expect(server.requests.all.isEmpty)
  }

  // MARK: Time

  /// A robot without a clock battery. Its certificate's dates only warn if the key is pinned.
  @Test func `a robot of 1970 takes the time of a store that it has verified`() async throws {
    let clock = MovableClock(unixSeconds: 5_000)
    let scene = try StoreScene(
      identity: Material.server("robot"), trusting: Self.policy("robot"), clock: clock.clock)
    scene.store.withContents { $0.unixSeconds = 1_800_000_000 }
    try await scene.client.put("a", ObjectContent([1]))
    #expect(scene.client.clockOffsetSeconds == 1_800_000_000 - 5_000)
    #expect(scene.client.unixSeconds == 1_800_000_000)
    #expect(scene.store.requests.all.count == 2)
    // Setting the clock once is enough.
    try await scene.client.put("a", ObjectContent([1]))
    #expect(scene.store.requests.all.count == 3)
  }

  @Test func `an answer to HEAD, which has no code, tells the time as well`() async throws {
    let clock = MovableClock(unixSeconds: 5_000)
    let scene = try StoreScene(
      identity: Material.server("robot"), trusting: Self.policy("robot"), clock: clock.clock)
    scene.store.withContents { $0.unixSeconds = 1_800_000_000 }
    #expect(try await scene.client.head("a") == nil)
    #expect(scene.client.unixSeconds == 1_800_000_000)
  }

  @Test func `a store that is never content with the time is asked twice and no more`() async throws {
    let scene = try StoreScene(identity: Material.server("robot"), trusting: Self.policy("robot"))
    scene.store.play { _ in
      .answer(
        {
          var answer = FakeObjectStore.Answer.error(403, "RequestTimeTooSkewed")
          answer.fields.append(("Date", "Sun, 06 Nov 1994 08:49:37 GMT"))
          return answer
        }())
    }
    #expect(await StoreScene.reason { _ = try await scene.client.list("") } == .denied(.clock))
    #expect(scene.store.requests.all.count == 2)
  }

  @Test func `a refusal that has nothing to do with time leaves the clock alone`() async throws {
    let scene = try StoreScene(identity: Material.server("robot"), trusting: Self.policy("robot"))
    scene.store.play { _ in .error(403, "AccessDenied") }
    #expect(await StoreScene.reason { _ = try await scene.client.list("") } == .denied(.credentials("AccessDenied")))
    #expect(scene.store.requests.all.count == 1)
    #expect(scene.client.clockOffsetSeconds == 0)
  }

  @Test func `without TLS nobody sets the clock`() async throws {
    let scene = try StoreScene()
    scene.store.withContents { $0.unixSeconds = 1_800_000_000 }
    #expect(await StoreScene.reason { _ = try await scene.client.list("") } == .denied(.clock))
    #expect(scene.client.clockOffsetSeconds == 0)
    #expect(scene.store.requests.all.count == 1)
  }

  @Test func `under an authority a robot of 1970 needs the time at which it was built`() async throws {
    let clock = MovableClock(unixSeconds: 5_000)
    let identity = try Material.server("issued", chain: ["middle"])
    // Its certificates may have been made just now.
    let now = Clock.system.unixSeconds + 1
    let lost = try StoreScene(identity: identity, trusting: Self.authorities("root"), clock: clock.clock)
    guard
      case .untrusted(.server(let failure))? = await StoreScene.reason({ _ = try await lost.client.list("") }),
      case .outOfDate = failure.reason
    else {
      Issue.record("dates do not count")
      return
    }
    #expect(!ObjectStoreError(.untrusted(.server(failure)), "GET", of: "store").description.contains("robot"))
    let built = try StoreScene(
      identity: identity, trusting: Self.authorities("root"), clock: clock.clock, earliestNow: now)
    #expect(try await built.client.list("").objects == [])
    #expect(abs(built.client.unixSeconds - now) < 600)
  }

  /// A process of its own, whose environment names the system's authorities.
  @Test func `whom an authority of the system vouches for is trusted, under its name`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = folder.path("root.pem")
      try Data(Material.file("root.pem")).write(to: URL(fileURLWithPath: path))
      setenv("SSL_CERT_FILE", path, 1)
      let scene = try StoreScene(
        identity: Material.server("issued", chain: ["middle"]), trusting: .systemAuthorities)
      try await scene.client.put("a", ObjectContent([1]))
      let other = try StoreScene(identity: Material.elsewhere(), trusting: .systemAuthorities)
      let reason = await StoreScene.reason { _ = try await other.client.list("") }
      guard case .untrusted(.server(let failure))? = reason else { preconditionFailure("\(reason as Any)") }
      #expect(failure.reason == .otherHostName)
      #expect(other.store.requests.all.isEmpty)
    }
  }
}
