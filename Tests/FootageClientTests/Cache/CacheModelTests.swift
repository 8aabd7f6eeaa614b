/// The whole cache, driven by seeded schedules and compared with a plain array of bytes.

import FootageClient
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@Suite(.serialized) struct CacheModelTests {
  /// The number of schedules. A broken cache fails within the first hundreds; the others find rare faults.
  static let schedules: UInt64 = TestRun.isSoaking ? 10_000 : 2_000

  /// The first seed. A soak run begins with a different one each time.
  private static let firstSeed = TestRun.isSoaking ? TestRun.seed(of: "schedules of the cache") : 0

  /// Runs seeds that failed in one run out of thousands, depending on the interleaving of the tasks.
  @Test(.timeLimit(.minutes(30)), arguments: [UInt64(6754)]) func `no interleaving gives a wrong byte`(seed: UInt64)
    async throws
  {
    let count = TestRun.isSoaking ? 3000 : 50
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<count { try await Self.run(seed) } }
      }
      try await group.waitForAll()
    }
  }

  @Test(.timeLimit(.minutes(30))) func `no schedule of reads, faults, evictions and restarts gives a wrong byte`()
    async throws
  {
    // Several run at once, to use the cores of the machine.
    try await withThrowingTaskGroup { group in
      for lane in UInt64(0)..<4 {
        group.addTask {
          for number in stride(from: lane, to: Self.schedules, by: 4) {
            try await Self.run(Self.firstSeed &+ number)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Cancels a schedule that hangs: canceled readers return, and the seed is printed.
  private static func run(_ seed: UInt64) async throws {
    let run = Task {
      var schedule = Schedule(seed: seed)
      try await schedule.run()
    }
    let watchdog = Task {
      try await Task.sleep(for: .seconds(120))
      Issue.record("seed \(seed) hangs")
      run.cancel()
    }
    defer { watchdog.cancel() }
    try await run.value
  }
}

/// One run. The seed decides everything except the interleaving of the tasks.
private struct Schedule {
  struct Wrong: Error, CustomStringConvertible { let description: String }

  let seed: UInt64
  var random: SeededGenerator
  let recordings: [(key: RecordingKey, content: [UInt8])]
  let quota: UInt64
  /// The files in which a byte was changed between two starts, without their extensions.
  var damaged: Set<String> = []

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    recordings = (0..<3).map { [seed] index in
      (
        RecordingKey(robot: "r", name: "camera/\(index % 2)"),
        testBytes(120 + 40 * index + Int(seed % 7), seed: seed &+ UInt64(index))
      )
    }
    quota = [100, 250, 10_000][Int(seed % 3)]
  }

  mutating func run() async throws {
    var disk = SimulatedDisk()
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      try await session(on: disk)
      disk = Bool.random(using: &random) ? disk.afterKill() : disk.afterPowerCut(&random)
      if Int.random(in: 0..<3, using: &random) == 0 { damage(disk) }
    }
  }

  /// Changes a byte of a claimed range.
  private mutating func damage(_ disk: SimulatedDisk) {
    let claimed = disk.claims.sorted { $0.key < $1.key }.filter { !$0.value.fragments.isEmpty }
    guard let record = claimed.randomElement(using: &random)?.value,
      let fragment = record.fragments.randomElement(using: &random)
    else { return }
    let offset = Int(UInt64.random(in: fragment.range, using: &random))
    for ending in [".mp4", ".part"] { disk.damage("/c/media/\(record.stem)\(ending)", at: offset) }
    damaged.insert(record.stem)
  }

  /// Runs the process from its start to its end.
  private mutating func session(on disk: SimulatedDisk) async throws {
    let cache = try MediaCache(at: "/c", quota: quota, files: disk, limits: .small)
    try checkClaims(disk)
    let sources = recordings.map { TestSource($0.content, chunk: Int.random(in: 1...50, using: &random)) }
    try await withThrowingTaskGroup { group in
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: 0..<recordings.count, using: &random)
        let (key, content) = recordings[index]
        let source = sources[index]
        misbehave(source)
        if Int.random(in: 0..<12, using: &random) == 0 { failDisk(disk) }
        let reader = Reader(
          seed: seed, random: SeededGenerator(seed: random.next()), cache: cache, key: key, content: content,
          index: index,
          source: source)
        let isCancelled = Int.random(in: 0..<5, using: &random) == 0
        group.addTask {
          var reader = reader
          if isCancelled {
            let task = Task { [reader] in
              var reader = reader
              try await reader.run()
            }
            await Task.yield()
            task.cancel()
            try await task.value
          } else {
            try await reader.run()
          }
        }
        if Int.random(in: 0..<8, using: &random) == 0 { try? await cache.remove(key) }
        if Int.random(in: 0..<8, using: &random) == 0 {
          if Bool.random(using: &random) { try? await cache.keep(key) } else { try? await cache.release(key) }
        }
        if Int.random(in: 0..<8, using: &random) == 0 { _ = try? await cache.clean() }
      }
      try await group.waitForAll()
    }
    disk.failing(nil)
    switch Int.random(in: 0..<3, using: &random) {
    case 0: await cache.close()
    case 1:
      for found in try await cache.verify() where !found.damagedBytes.isEmpty && damaged.isEmpty {
        throw Wrong(description: "seed \(seed): damaged \(found.damagedBytes) without damage")
      }
    default: break
    }
  }

  private mutating func misbehave(_ source: TestSource) {
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      source.behave(
        .failing(.passing(.unreachable("reset"))),
        .failingAfter(Int.random(in: 1...60, using: &random), .passing(.unreachable("cut"))))
    case 1: source.behave(.endingAfter(Int.random(in: 1...30, using: &random)))
    case 2: source.behave(.tooMuch(Int.random(in: 1...30, using: &random)))
    case 3:
      source.behave(
        .failingAfter(Int.random(in: 1...60, using: &random), .final(.notAllowed(status: 403, reason: "no"))))
    default: break
    }
  }

  private mutating func failDisk(_ disk: SimulatedDisk) {
    let word = ["write", "sync /", "index", "read", "create", "rename"].randomElement(using: &random) ?? "write"
    let number = Bool.random(using: &random) ? Errno.noSpaceLeft : .ioError
    disk.failing { $0.hasPrefix(word) ? number : nil }
  }

  /// Checks that every claimed range exists and contains the recording's bytes.
  private func checkClaims(_ disk: SimulatedDisk) throws {
    for (_, record) in disk.claims where !damaged.contains(record.stem) {
      guard let index = recordings.indices.first(where: { "\"\($0)\"" == record.version.tag }) else {
        throw Wrong(description: "seed \(seed): a version that never was")
      }
      let content = recordings[index].content
      let file =
        disk.content("/c/media/\(record.stem).mp4") ?? disk.content("/c/media/\(record.stem).part") ?? []
      for fragment in record.fragments {
        let range = Int(fragment.range.lowerBound)..<Int(fragment.range.upperBound)
        guard range.upperBound <= file.count, file[range] == content[range] else {
          throw Wrong(description: "seed \(seed): \(record.key) claims \(range), which it does not have")
        }
      }
      if record.isComplete, disk.content("/c/media/\(record.stem).mp4") != content {
        throw Wrong(description: "seed \(seed): a complete recording is no plain file")
      }
    }
  }

  /// One player, which opens a recording, reads in several places and leaves.
  struct Reader: Sendable {
    let seed: UInt64
    var random: SeededGenerator
    let cache: MediaCache
    let key: RecordingKey
    let content: [UInt8]
    let index: Int
    let source: TestSource

    mutating func run() async throws {
      let playback: Playback
      do throws(MediaCacheError) {
        if Int.random(in: 0..<10, using: &random) == 0 {
          playback = try await cache.playback(of: key)
          // The cached version may be another version with that name.
          guard playback.version.tag == "\"\(index)\"" else { return }
        } else {
          playback = try await cache.playback(of: key, testVersion(content, "\(index)"), from: source)
        }
      } catch {
        return
      }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        do throws(MediaCacheError) {
          switch Int.random(in: 0..<6, using: &random) {
          case 0: try await playback.preload(bytes: UInt64.random(in: 0...200, using: &random))
          case 1: try await playback.download()
          case 2: try await playback.fillHoles()
          default: try await read(playback)
          }
        } catch {
          switch error {
          // A damaged byte is never delivered: it is fetched again, or missing.
          case .refused, .offline, .cancelled, .noRoom, .damaged: break
          default: throw error
          }
        }
      }
      if Int.random(in: 0..<3, using: &random) == 0 { try? await Task.sleep(for: .milliseconds(1)) }
    }

    private mutating func read(_ playback: Playback) async throws(MediaCacheError) {
      let start = UInt64.random(in: 0..<UInt64(content.count), using: &random)
      let reader = try playback.reader(of: start..<UInt64(content.count))
      var position = start
      let end = UInt64.random(in: start...UInt64(content.count), using: &random)
      while position < end {
        let count = Int.random(in: 1...60, using: &random)
        let bytes = try await reader.read(at: position, count: count)
        let expected = content[Int(position)...].prefix(bytes.count)
        if bytes.isEmpty || bytes.count > count || !expected.elementsEqual(bytes) {
          Issue.record("seed \(seed): \(bytes.count) wrong bytes at \(position)")
          return
        }
        position += UInt64(bytes.count)
        if Int.random(in: 0..<6, using: &random) == 0 { return }
      }
    }
  }
}
