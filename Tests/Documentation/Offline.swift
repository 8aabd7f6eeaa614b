/// The code of "Offline, and the download queue": the recordings on this device, and those to be downloaded.

import FootageClient
import Foundation

/// Returns the robot's recordings; while it is away, the recordings that it listed last.
func list(_ robot: RobotConnection) async throws -> (recordings: [RobotRecording], isOffline: Bool) {
  var recordings: [RobotRecording] = []
  for try await recording in robot.recordings(state: .ready) { recordings.append(recording) }
  return (recordings, recordings.contains { $0.listedAt != nil })
}

/// Returns all robots that this app knows, and the recordings that each listed last, without contacting any of them.
func everythingKnown(by cache: MediaCache) async -> [(robot: MediaCache.KnownRobot, recordings: [RobotRecording])] {
  var known: [(robot: MediaCache.KnownRobot, recordings: [RobotRecording])] = []
  for robot in await cache.knownRobots() {
    known.append((robot, await cache.listedRecordings(ofRobot: robot.id)))
  }
  return known
}

func onThisDevice(in cache: MediaCache) async -> [String] {
  await cache.recordingsOnThisDevice().map { entry in
    let start = entry.recording?.startDate.formatted(.iso8601) ?? "unknown time"
    return "\(entry.key.name), \(start), \(Int(entry.recording?.duration ?? 0)) s, \(entry.cachedBytes / 1_000) kB"
  }
}

/// Makes room after a person has chosen a smaller cache.
func resize(_ cache: MediaCache, to quota: StorageQuota) async throws -> UInt64 {
  try await cache.setQuota(quota)
  return await cache.usage.usedBytes
}

/// Creates the queue once, when the app starts. Unfinished downloads then continue.
func startQueue(in cache: MediaCache, robots: [RobotConnection]) async -> DownloadQueue {
  let queue = await DownloadQueue(in: cache)
  for robot in robots { await queue.connect(robot) }
  return queue
}

func fetch(_ recordings: [RobotRecording], of robot: RobotConnection, by queue: DownloadQueue) async {
  await queue.add(contentsOf: recordings, of: robot)
}

func words(for item: DownloadQueue.Item) -> String {
  switch item.state {
  case .waiting(.turn): "waiting its turn"
  case .waiting(.network): "waiting for Wi-Fi"
  case .waiting(.robot), .waiting(.connection): "waiting for the robot"
  case .waiting(.queue), .paused: "paused"
  case .downloading: item.progress.map { "\($0.received * 100 / max(1, $0.total)) %" } ?? "starting"
  case .finished: "on this device"
  case .failed(let failure): failure.localizedDescription
  }
}

/// Shows the queue until the task is canceled.
func show(_ queue: DownloadQueue, on screen: @MainActor ([String]) -> Void) async {
  for await items in queue.updates() { await screen(items.map(words)) }
}

/// The conditions of a network that an app knows about, for example from `NWPathMonitor`.
struct HomeNetwork: NetworkConditions {
  let isAtHome: AsyncStream<Bool>

  func conditions() -> AsyncStream<NetworkCondition> {
    AsyncStream { continuation in
      let task = Task {
        for await isAtHome in isAtHome { continuation.yield(NetworkCondition(isMetered: !isAtHome)) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}

func export(_ entry: MediaCache.Entry, of cache: MediaCache, as file: URL) async throws {
  try await cache.export(entry.key, to: file)
}

/// Saves a clip of a recording on this device and returns its first picture. No robot is needed.
func share(_ entry: MediaCache.Entry, seconds: Range<Double>, in cache: MediaCache, as file: URL) async throws -> Data {
  let playback = try await cache.playback(of: entry.key)
  try await playback.exportClip(seconds: seconds, to: file)
  return Data(try await playback.keyFrame(at: seconds.lowerBound))
}

/// Fetches the minute around 02:00 of a ten-hour recording, without the hours before it.
func prepare(_ name: String, of robot: RobotConnection) async throws {
  try await robot.playback(of: name).preload(around: 7_200, for: .seconds(60))
}

/// Returns true if a recording on this device is, byte for byte, what its robot has signed.
func isProven(_ name: String, of robot: RobotConnection) async throws -> Bool {
  let proof = try await robot.prove(name)
  switch proof.signature {
  case .robot: return proof.isWhole
  case .none, .somebodyElse: return false
  }
}

/// Returns true if the paired robot has signed a recording on this device, by any key that it ever had.
func isProven(_ entry: MediaCache.Entry, in cache: MediaCache, _ pairings: PairingStore) async throws -> Bool {
  guard let robot = try pairings.all().first(where: { $0.id == entry.key.robot }) else { return false }
  let proof = try await cache.prove(entry.key, byKeysOf: robot)
  guard case .robot = proof.signature else { return false }
  return proof.isWhole
}

/// Returns a connection to a robot that falls back to a server of its store, where the robot is called `name`.
func connect(to robot: RobotConnection, or fleet: RobotConnection, as name: String) -> RobotConnection {
  robot.backed(by: fleet, as: name)
}
