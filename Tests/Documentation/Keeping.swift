/// The code of "From an empty app to a playing video": recordings that stay on the device, with and without the robot.

import FootageClient
import Foundation

func keep(_ name: String, of robot: RobotConnection, in cache: MediaCache) async throws {
  let playback = try await robot.playback(of: name)
  try await playback.download()
  try await cache.keep(playback.key)
}

func complete(_ playback: Playback) async throws {
  try await playback.fillHoles(bytesPerSecond: 500_000)
}

func offlineRecordings(in cache: MediaCache) async -> [MediaCache.Entry] {
  await cache.recordingsOnThisDevice()
}

func open(_ entry: MediaCache.Entry, in cache: MediaCache) async throws -> Playback {
  try await cache.playback(of: entry.key)
}

func save(
  _ name: String, of robot: RobotConnection, to file: URL,
  show: @escaping @Sendable (_ percent: Int, _ remaining: Duration?) -> Void
) async throws {
  try await robot.download(name, to: file) { progress in
    let share = progress.total == 0 ? 1 : Double(progress.received) / Double(progress.total)
    show(Int(share * 100), progress.remaining)
  }
}
