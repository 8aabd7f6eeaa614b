/// Paired robots are remembered by their keys, and a pin that changes unannounced is an error.
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.offThePool) struct PairingTests {
  static func pin(_ byte: UInt8) -> PublicKeyPin {
    required(PublicKeyPin(digest: [UInt8](repeating: byte, count: 32)))
  }

  static let pin = pin(1)
  static let other = pin(2)
  static let third = pin(3)
  static let robot = required(RobotAddress("robot.local"))
  static let elsewhere = required(RobotAddress("10.0.0.9:9443"))

  private static func store(_ text: String = "", in folder: TemporaryFolder) throws -> PairingStore {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("robots")))
    return PairingStore(folder: folder.location)
  }

  @Test func `a robot is remembered until it is forgotten`() throws {
    let folder = try TemporaryFolder()
    let store = PairingStore(folder: folder.path("config/footage"))
    #expect(try store.all() == [])
    #expect(try store.remember(Self.pin, of: Self.robot) == [])
    #expect(try store.remember(Self.pin, of: Self.robot) == [])
    try store.remember(Self.other, of: required(RobotAddress("[::1]:1")))
    #expect(try store.pins(of: Self.robot) == [Self.pin])
    #expect(try store.pairing(at: Self.elsewhere) == nil)
    #expect(try text(of: store.path) == "robot.local:8443 \(Self.pin)\n[::1]:1 \(Self.other)\n")
    #expect(try store.forget(Self.robot))
    #expect(try !store.forget(Self.robot))
    #expect(try store.all().map(\.address.description) == ["[::1]:1"])
  }

  @Test func `a pin that changed is an error with its own name, and what was remembered stays`() throws {
    let folder = try TemporaryFolder()
    let store = PairingStore(folder: folder.location)
    try store.remember(Self.pin, of: Self.robot)
    let expected = PairingError.pinChanged(robot: "robot.local:8443", remembered: [Self.pin], seen: Self.other)
    #expect(throws: expected) { try store.remember(Self.other, of: Self.robot) }
    #expect(try store.pins(of: Self.robot) == [Self.pin])
    #expect(
      expected.description.hasPrefix(
        "THE PIN OF robot.local:8443 HAS CHANGED: it was \(Self.pin), and now it is \(Self.other)."))
  }

  // MARK: Future and former keys

  @Test func `a key that was announced is as good as the present one, and when it is met the former is good no more`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = PairingStore(folder: folder.location)
    try store.remember(Self.pin, of: Self.robot)
    #expect(try store.add(next: Self.other, of: Self.robot))
    #expect(try !store.add(next: Self.other, of: Self.robot))
    #expect(try !store.add(next: Self.pin, of: Self.robot))
    #expect(try text(of: store.path) == "robot.local:8443 \(Self.pin) \(Self.other)\n")
    #expect(try store.pairing(at: Self.robot)?.everyPin == [.publicKey(Self.pin), .publicKey(Self.other)])
    // The robot still has its present key.
    #expect(try store.met(Self.pin, at: Self.robot) == [])
    let before = try text(of: store.path)
    #expect(try store.met(Self.third, at: Self.robot) == [])
    #expect(try text(of: store.path) == before)
    #expect(
      try store.met(Self.other, at: Self.robot) == [.promoted(Self.robot, from: Self.pin, to: Self.other)])
    #expect(try store.met(Self.other, at: Self.robot) == [])
    #expect(try text(of: store.path) == "robot.local:8443 \(Self.other) earlier:\(Self.pin)\n")
    #expect(try store.pins(of: Self.robot) == [Self.other])
    #expect(throws: PairingError.self) { try store.remember(Self.pin, of: Self.robot) }
    // A second promotion. The first key stays the first one that the cache knows.
    try store.add(next: Self.third, of: Self.robot)
    try store.met(Self.third, at: Self.robot)
    let paired = try #require(try store.pairing(at: Self.robot))
    #expect(paired.earlier == [Self.pin, Self.other])
    #expect(paired.cacheNames == [Self.pin, Self.other, Self.third].map(\.description))
  }

  @Test func `a robot that goes back to a key it had is told so, and is trusted for it again`() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store("robot.local:8443 \(Self.other) earlier:\(Self.pin)\n", in: folder)
    #expect(try store.met(Self.pin, at: Self.robot) == [])
    #expect(try store.add(next: Self.pin, of: Self.robot))
    #expect(try text(of: store.path) == "robot.local:8443 \(Self.other) \(Self.pin)\n")
    try store.met(Self.pin, at: Self.robot)
    #expect(try text(of: store.path) == "robot.local:8443 \(Self.pin) earlier:\(Self.other)\n")
  }

  @Test func `what was announced can be taken back, and the present key cannot`() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store("robot.local:8443 \(Self.pin) \(Self.other) \(Self.third)\n", in: folder)
    #expect(try store.forget(next: Self.other, of: Self.robot))
    #expect(try !store.forget(next: Self.other, of: Self.robot))
    #expect(try !store.forget(next: Self.pin, of: Self.robot))
    #expect(try text(of: store.path) == "robot.local:8443 \(Self.pin) \(Self.third)\n")
    // Another announced key survives a promotion.
    try store.add(next: Self.other, of: Self.robot)
    try store.met(Self.other, at: Self.robot)
    #expect(
      try text(of: store.path) == "robot.local:8443 \(Self.other) \(Self.third) earlier:\(Self.pin)\n")
  }

  @Test func `a key can be announced for a robot that was paired, and only where it is no other robot's`() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(
      "robot.local:8443 \(Self.pin)\n10.0.0.9:9443 \(Self.other) earlier:\(Self.third)\n", in: folder)
    let before = try text(of: store.path)
    for pin in [Self.other, Self.third] {
      #expect(throws: PairingError.otherRobot(pin, robot: "10.0.0.9:9443")) {
        try store.add(next: pin, of: Self.robot)
      }
    }
    let unknown = required(RobotAddress("unknown"))
    #expect(throws: PairingError.notPaired(robot: "unknown:8443")) { try store.add(next: Self.pin(9), of: unknown) }
    #expect(throws: PairingError.notPaired(robot: "unknown:8443")) { try store.forget(next: Self.pin, of: unknown) }
    #expect(try text(of: store.path) == before)
  }

  // MARK: Addresses

  @Test func `a robot that is met at another address has moved there`() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store("robot.local:8443 \(Self.pin) \(Self.other)\n", in: folder)
    let moved = PairingStore.Change.moved(from: Self.robot, to: Self.elsewhere)
    #expect(try store.met(Self.pin, at: Self.elsewhere) == [moved])
    #expect(try store.met(Self.pin, at: Self.elsewhere) == [])
    #expect(
      try text(of: store.path) == "10.0.0.9:9443 \(Self.pin) \(Self.other)\n# \(Self.pin) also:robot.local:8443\n")
    // A move and a promotion at once.
    #expect(
      try store.met(Self.other, at: Self.robot) == [
        .moved(from: Self.elsewhere, to: Self.robot), .promoted(Self.robot, from: Self.pin, to: Self.other),
      ])
    // If it is paired again at another address, it is the same robot.
    #expect(
      try store.remember(Self.other, of: Self.elsewhere) == [.moved(from: Self.robot, to: Self.elsewhere)])
    #expect(
      try text(of: store.path)
        == "10.0.0.9:9443 \(Self.other) earlier:\(Self.pin)\n# \(Self.pin) also:robot.local:8443\n")
    // The same holds for a key that it had before and that a person has compared.
    try store.remember(Self.pin, of: Self.robot)
    #expect(
      try text(of: store.path)
        == "robot.local:8443 \(Self.pin) earlier:\(Self.other)\n# \(Self.other) also:10.0.0.9:9443\n")
  }

  @Test func `a robot is remembered at so many places, the latest first, and no more`() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store("robot.local:8443 \(Self.pin) name:Arm%202\n", in: folder)
    for number in (1...9) + [5] { try store.met(Self.pin, at: required(RobotAddress("10.0.0.\(number)"))) }
    let robot = try #require(try store.pairing(named: "Arm 2"))
    #expect(robot.addresses.map(\.host) == [5, 9, 8, 7, 6, 4, 3, 2].map { "10.0.0.\($0)" })
    #expect(try store.pairing(at: robot.address) == robot && robot.id == Self.pin.description)
    // Its name and its identifier stay the same with another key.
    try store.add(next: Self.other, of: robot.address)
    try store.met(Self.other, at: robot.address)
    #expect(try store.pairing(named: "Arm 2")?.id == robot.id)
  }

  @Test func `two robots that have changed their addresses keep their keys`() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store("robot.local:8443 \(Self.pin)\n10.0.0.9:9443 \(Self.other)\n", in: folder)
    try store.met(Self.pin, at: Self.elsewhere)
    #expect(
      try text(of: store.path)
        == "10.0.0.9:9443 \(Self.pin)\n# \(Self.pin) also:robot.local:8443\nrobot.local:8443 \(Self.other)\n")
    #expect(try store.met(Self.other, at: Self.robot) == [])
  }

  // MARK: The file

  @Test func `a file of the first version is read, and says the same as long as nothing is new`() throws {
    let folder = try TemporaryFolder()
    // The file as that program wrote it, with possible additions by a person: notes, a second pin, and one robot at two
    // addresses.
    let lines = """
      # the front yard

      robot.local:8443 \(Self.pin)
        10.0.0.9:9443 \(Self.pin)  \n\
      [::1]:1 \(Self.other) \(Self.third)
      """
    let store = try Self.store(lines + "\n", in: folder)
    #expect(
      try store.all() == [
        .init(address: Self.robot, pins: [Self.pin]), .init(address: Self.elsewhere, pins: [Self.pin]),
        .init(address: required(RobotAddress("[::1]:1")), pins: [Self.other, Self.third]),
      ])
    for address in [Self.robot, Self.elsewhere] { #expect(try store.met(Self.pin, at: address) == []) }
    #expect(try text(of: store.path) == lines + "\n")
    // It is one robot: announcements and promotions apply to both of its addresses.
    try store.add(next: Self.pin(9), of: Self.elsewhere)
    #expect(
      try store.met(Self.pin(9), at: Self.robot) == [.promoted(Self.robot, from: Self.pin, to: Self.pin(9))])
    #expect(
      try text(of: store.path) == """
        # the front yard

        robot.local:8443 \(Self.pin(9)) earlier:\(Self.pin)
        10.0.0.9:9443 \(Self.pin(9)) earlier:\(Self.pin)
        [::1]:1 \(Self.other) \(Self.third)

        """)
  }

  @Test func `names and other places stand in a comment, so that a program that knows neither reads the file`() throws {
    let folder = try TemporaryFolder()
    // The form that some programs wrote.
    let former = "robot.local:8443 \(Self.pin) also:10.0.0.9:9443 name:Arm%202\n"
    let store = try Self.store(former, in: folder)
    let robot = try #require(try store.pairing(named: "Arm 2"))
    #expect(robot.otherAddresses == [Self.elsewhere])
    #expect(try store.met(Self.pin, at: Self.robot) == [])
    #expect(try text(of: store.path) == former)
    try store.add(next: Self.other, of: Self.robot)
    let written = """
      robot.local:8443 \(Self.pin) \(Self.other)
      # \(Self.pin) also:10.0.0.9:9443 name:Arm%202

      """
    #expect(try text(of: store.path) == written)
    #expect(try store.pairing(named: "Arm 2")?.otherAddresses == [Self.elsewhere])
    // An older program recorded its present key, and then forgot the previous robot but left its comment.
    try Data(
      """
      # \(Self.third) also:old.test:8443 name:Leg
      robot.local:8443 \(Self.other) earlier:\(Self.pin)
      # \(Self.pin) also:10.0.0.9:9443 name:Arm%202
      # \(Self.third) name:Hand
      # \(Self.pin) name:Foot

      """.utf8
    ).write(to: URL(fileURLWithPath: store.path))
    let changed = try #require(try store.all().first)
    #expect(changed.name == "Arm 2" && changed.id == robot.id && changed.otherAddresses == [Self.elsewhere])
    let before = try text(of: store.path)
    #expect(try store.met(Self.other, at: Self.robot) == [])
    #expect(try text(of: store.path) == before)
  }

  @Test(
    arguments: [
      "# \(pin) name:", "# \(pin) name:a name:b", "# \(pin) also:x:y", "# \(pin) earlier:\(other)", "# \(pin) \(other)",
      "# name:Arm", "#\(pin) name:Arm", "# \(other) name:Arm", "# \(pin)", "# \(pin) name:Arm!\u{7}",
    ])
  func `a comment that says nothing of its robot is a person's, and stays`(line: String) throws {
    let folder = try TemporaryFolder()
    let store = try Self.store("robot.local:8443 \(Self.pin)\n\(line)\n", in: folder)
    #expect(try store.all() == [.init(address: Self.robot, pins: [Self.pin])])
    try store.met(Self.pin, at: Self.elsewhere)
    #expect(
      try text(of: store.path) == "10.0.0.9:9443 \(Self.pin)\n# \(Self.pin) also:robot.local:8443\n\(line)\n")
    #expect(try store.pairing(at: Self.elsewhere)?.otherAddresses == [Self.robot])
  }

  @Test(
    arguments: [
      "robot.local", "robot.local sha256/x", "robot:0 \(pin)", "garbage", "robot.local \(pin) x",
      // Such a line gives no reason to trust a robot.
      "robot.local earlier:\(pin)", "robot.local \(pin) earlier:x", "robot.local \(pin) earlier: \(pin)",
      "robot.local \(pin) later:\(pin)",
    ])
  func `a line that makes no sense is not passed over`(line: String) throws {
    let folder = try TemporaryFolder()
    let before = "# first\n\(line)\n"
    let store = try Self.store(before, in: folder)
    #expect(throws: PairingError.unreadable(store.path, line: 2)) { try store.all() }
    #expect(throws: PairingError.unreadable(store.path, line: 2)) { try store.remember(Self.other, of: Self.elsewhere) }
    #expect(try text(of: store.path) == before)
  }

  @Test func `what a person wrote into the file stays, to the byte`() throws {
    let folder = try TemporaryFolder()
    let store = PairingStore(folder: folder.location)
    var bytes = Array("#\tnot UTF-8: ".utf8) + [0xFF, 0x0D, 0x0A]
    bytes += Array("   # indented\nrobot.local:8443 \(Self.pin)\n#the end, without a line feed".utf8)
    try Data(bytes).write(to: URL(fileURLWithPath: store.path))
    try store.add(next: Self.other, of: Self.robot)
    let changed = try Data(contentsOf: URL(fileURLWithPath: store.path))
    let expected =
      Data(Array("#\tnot UTF-8: ".utf8) + [0xFF, 0x0D, 0x0A])
      + Data("   # indented\nrobot.local:8443 \(Self.pin) \(Self.other)\n#the end, without a line feed\n".utf8)
    #expect(changed == expected)
  }

  @Test func `threads take turns, and so does a process that holds the file for a moment`() throws {
    let folder = try TemporaryFolder()
    let store = PairingStore(folder: folder.location)
    let failures = EventLog<PairingError>()
    // Another process holds the lock, and releases it once a thread waits.
    let lock = open(folder.path(".lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(flock(lock, LOCK_EX) == 0)
    let isOver = DispatchGroup()
    for number in 1...3 {
      isOver.enter()
      Thread.detachNewThread {
        do throws(PairingError) {
          try store.remember(Self.pin(UInt8(number)), of: required(RobotAddress("robot\(number)")))
        } catch { failures.append(error) }
        isOver.leave()
      }
    }
    #expect(flock(lock, LOCK_UN) == 0)
    isOver.wait()
    #expect(failures.all == [])
    #expect(try store.all().count == 3)
    // If it keeps the lock, the error says so.
    #expect(flock(lock, LOCK_EX) == 0)
    #expect(throws: PairingError.file(FileFailure(.inUse, "another process is changing \(store.path): try again"))) {
      try store.forget(required(RobotAddress("robot1")))
    }
    #expect(flock(lock, LOCK_UN) == 0)
    close(lock)
    #expect(try store.forget(required(RobotAddress("robot1"))))
  }

  @Test func `what makes sense in a file is read again as it was written, whatever became of the file`() throws {
    let seed = TestRun.seed(of: "changes to the file of pairings")
    var random = SeededGenerator(seed: seed)
    let whole = Array(
      """
      # mine

      \(Self.robot) \(Self.pin) \(Self.other) earlier:\(Self.third)
      # \(Self.third) also:a.test:1 name:Arm%202
      [fe80::1%25eth0]:1 \(Self.pin(4))\r

      """.utf8)
    let words = [
      "[", "]", "%", "25", ":", "#", " ", "\t", "\r", "\n", "earlier:", "also:", "name:", "sha256/", "=", "a", "0",
    ]
    var readCount = 0
    for round in 0..<5_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 1...8, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.insert(contentsOf: required(words.randomElement(using: &random)).utf8, at: place)
        case 1: bytes[place] = .random(in: 0...255, using: &random)
        case 2: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
        default: bytes.removeSubrange(place..<end)
        }
      }
      guard let file = try? PairingFile(bytes, path: "") else { continue }
      readCount += 1
      let written = file.bytes
      #expect(
        (try? PairingFile(written, path: "")) == file,
        "seed \(seed), round \(round): \(String(decoding: written, as: UTF8.self))")
    }
    #expect(readCount > 200)
  }

  @Test func `whatever happens to robots, each key and each address is one robot's`() throws {
    let seed = UInt64.random(in: 1...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let addresses = (1...4).map { required(RobotAddress("robot\($0)")) }
    for round in 0..<300 {
      var file = PairingFile()
      for step in 0..<30 {
        let address = required(addresses.randomElement(using: &random))
        let pin = Self.pin(UInt8.random(in: 1...8, using: &random))
        let place = "seed \(seed), round \(round), step \(step)"
        switch Int.random(in: 0..<4, using: &random) {
        case 0: _ = try? file.remember(pin, of: address)
        case 1: _ = try? file.add(next: pin, of: address)
        case 2: _ = try? file.forget(next: pin, of: address)
        default: _ = file.met(pin, at: address)
        }
        let pairings = file.pairings
        #expect(Set(pairings.map(\.address)).count == pairings.count, "\(place)")
        let keys = pairings.flatMap { $0.pins + $0.earlier }
        #expect(Set(keys).count == keys.count && pairings.allSatisfy { !$0.pins.isEmpty }, "\(place)")
        #expect(try PairingFile(file.bytes, path: "") == file, "\(place)")
      }
    }
  }
}
