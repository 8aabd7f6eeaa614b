import FootageDigest
import FootageBase
import FootageServing
import FootageLibrary
@testable import FootageStore
import FootageSystem
import LinuxTestSupport
import StoreTestSupport
import Testing

/// Robot and store may crash at any step, and every recording must still exist somewhere, complete.
@Suite struct SimulationTests {
  static let prefix = "robot/"

  /// The number of schedules, each with its own files, engine, failures and crashes.
  private static var scheduleCount: Int { TestRun.isSoaking ? 50_000 : 2_500 }

  @Test func nothingIsLostWhereverItEnds() async throws {
    let seed = TestRun.seed(of: "crashes of offloading")
    let loop = try EventLoop()
    try loop.start()
    // A stopped pool runs a job at once in the calling thread, which saves a switch of threads.
    let pool = try BlockingPool(threadCount: 1)
    pool.stop()
    defer { loop.stop() }
    for number in 0..<Self.scheduleCount {
      let schedule = Schedule(seed: seed &+ UInt64(number), loop: loop, pool: pool)
      let faults = try await schedule.run()
      #expect(faults.isEmpty, "FOOTAGE_SEED=\(seed), schedule \(number): \(faults.joined(separator: "; "))")
      if !faults.isEmpty { return }
    }
  }
}

/// One run of the simulation, from a seed.
struct Schedule {
  let seed: UInt64
  let loop: EventLoop
  let pool: BlockingPool

  private static let lives = 7

  func run() async throws -> [String] {
    let world = World(seed: seed)
    // The recordings by name and version. It is not a loss if a recorder overwrites or removes one.
    var recorded: [World.Recording] = []
    for index in 0..<Int.random(in: 1...3, using: &world.random) {
      let recording = World.Recording(
        name: "cam/\(index)", version: 0, bytes: Self.bytes(&world.random), isKept: Bool.random(using: &world.random))
      world.disk[recording.name] = recording
      recorded.append(recording)
    }
    world.engine.knowsConditions = Bool.random(using: &world.random)
    world.engine.hidesDigests = Int.random(in: 0..<4, using: &world.random) == 0
    world.engine.forgetsToFinish = Bool.random(using: &world.random)
    world.engine.deniesCompletion = Int.random(in: 0..<4, using: &world.random) == 0
    if Bool.random(using: &world.random) { strangersOf(world) }

    for life in 0..<Self.lives {
      // The remains of the last life but one are removed at the following start.
      let isLast = life >= Self.lives - 2
      world.failurePercent = isLast ? 0 : [0, 0, 10, 30].randomElement(using: &world.random) ?? 0
      world.restart(crashesAt: isLast ? nil : Int.random(in: 1...120, using: &world.random))
      // The record may be deleted at any time.
      if life > 0, Int.random(in: 0..<6, using: &world.random) == 0 { world.rows = [:] }
      try await live(world, &recorded, isLast: isLast)
      let lost = recorded.filter { !isSomewhere($0, world) }
      if !lost.isEmpty { return ["after life \(life): lost \(lost.map(\.name))"] }
    }
    return orphans(world, recorded)
  }

  /// Adds objects below a name that begins with the same characters.
  private func strangersOf(_ world: World) {
    world.objects["robot7/cam/0/aaaaaaaaaaaaaaaa.mp4"] = MemoryStore.Object(bytes: [1], entityTag: "x")
    world.uploads["stranger"] = MemoryStore.Upload(key: "robot7/cam/0/aaaaaaaaaaaaaaaa.mp4")
  }

  private static func bytes(_ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private func live(_ world: World, _ recorded: inout [World.Recording], isLast: Bool) async throws {
    let surroundings = Offloader.Surroundings(
      store: world.store, reading: world.store, asking: world.store,
      files: WorldLibrary(world: world), prefix: SimulationTests.prefix,
      manifestLimit: 1 << 20, pool: pool, log: { _ in })
    let offloader = try Offloader(
      surroundings, record: WorldRecord(world), on: loop, progress: OffloadProgress(store: "world"))
    var idleTurns = 0
    while !world.isCrashed, idleTurns < 3 {
      let before = world.effects
      await offloader.turnOnce()
      if world.isCrashed { return }
      idleTurns = world.effects == before ? idleTurns + 1 : 0
      await makeRoom(world, offloader)
      if world.isCrashed { return }
      if !isLast { happen(world, &recorded) }
    }
  }

  /// Deletes only recordings whose upload is recorded, after the store was examined, and asks the store first.
  private func makeRoom(_ world: World, _ offloader: Offloader) async {
    guard world.isLookedAt, Int.random(in: 0..<4, using: &world.random) == 0 else { return }
    for recording in world.disk.values {
      let key = VersionKey(name: recording.name, tag: recording.tag)
      guard world.rows[key]?.state == .stored else { continue }
      let answer = await offloader.confirm(recording.name, version: recording.tag)
      if answer == .there, world.disk[recording.name] == recording { world.disk[recording.name] = nil }
    }
  }

  /// Simulates the actions of recorders, people and stores meanwhile.
  private func happen(_ world: World, _ recorded: inout [World.Recording]) {
    switch Int.random(in: 0..<30, using: &world.random) {
    case 0:
      // A file is overwritten. Its old version is gone, unless it is stored.
      guard let old = world.disk.values.randomElement(using: &world.random) else { return }
      let new = World.Recording(name: old.name, version: old.version + 1, bytes: Self.bytes(&world.random))
      world.disk[old.name] = new
      if !isStored(old, world) { recorded.removeAll { $0 == old } }
      recorded.append(new)
    case 1:
      guard let old = world.disk.values.randomElement(using: &world.random) else { return }
      world.disk[old.name] = nil
      if !isStored(old, world) { recorded.removeAll { $0 == old } }
    case 2:
      // The store also loses a part of a recording that is on the robot.
      guard let known = world.disk.values.randomElement(using: &world.random), isStored(known, world) else { return }
      lose(known, world)
    default: break
    }
  }

  private func lose(_ recording: World.Recording, _ world: World) {
    let keys = ObjectKeys(prefix: SimulationTests.prefix, name: recording.name, tag: recording.tag)
    world.hasLost.insert(VersionKey(name: recording.name, tag: recording.tag))
    switch Int.random(in: 0..<4, using: &world.random) {
    case 0: for key in keys.all { world.objects[key] = nil }
    case 1: world.objects[keys.manifest] = nil
    case 2: world.objects[keys.file] = nil
    default: world.objects[keys.file] = MemoryStore.Object(bytes: recording.bytes + [0], entityTag: "cut")
    }
  }

  private func isStored(_ recording: World.Recording, _ world: World) -> Bool {
    let keys = ObjectKeys(prefix: SimulationTests.prefix, name: recording.name, tag: recording.tag)
    guard let manifest = world.objects[keys.manifest], manifest.bytes == WorldLibrary.manifest(recording),
      world.objects[keys.file]?.bytes == recording.bytes, world.objects[keys.index]?.bytes == WorldLibrary.index
    else { return false }
    return recording.bytes.count % 2 != 0 || world.objects[keys.preamble]?.bytes == WorldLibrary.preamble
  }

  private func isSomewhere(_ recording: World.Recording, _ world: World) -> Bool {
    world.disk[recording.name] == recording || isStored(recording, world)
  }

  /// Returns the faults after a life in which nothing failed.
  private func orphans(_ world: World, _ recorded: [World.Recording]) -> [String] {
    var faults: [String] = []
    for recording in world.disk.values where !isStored(recording, world) {
      faults.append("\(recording.name) not stored")
    }
    for row in world.rows.values where row.state != .stored { faults.append("\(row.name) is \(row.state)") }
    let own = world.objects.keys.filter { $0.hasPrefix(SimulationTests.prefix) }
    for key in own {
      guard let keys = ObjectKeys(key: key, prefix: SimulationTests.prefix) else {
        faults.append("\(key) is none of ours")
        continue
      }
      // If the store has lost parts of a version without a file on the robot, they cannot be restored.
      guard !world.hasLost.contains(VersionKey(name: keys.name, tag: keys.tag)) else { continue }
      if world.objects[keys.manifest] == nil { faults.append("\(key) has no manifest") }
      if world.objects[keys.file] == nil { faults.append("\(key) has no file") }
    }
    for (id, upload) in world.uploads where upload.key.hasPrefix(SimulationTests.prefix) {
      faults.append("upload \(id) of \(upload.key) is left")
    }
    if world.objects.keys.contains(where: { $0.hasPrefix("robot7/") }), world.uploads["stranger"] == nil {
      faults.append("another robot's upload was touched")
    }
    return faults
  }
}
