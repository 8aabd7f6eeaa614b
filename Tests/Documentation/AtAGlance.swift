/// The README's few lines.

import FootageClient
import Foundation

@MainActor
func atAGlance(robotAt address: String, pin: String, folder: String, player: any Player) async throws {
  let cache = try MediaCache(at: folder, quota: .gigabytes(4))
  let robot = try RobotConnection(to: address, trusting: .pinned([.spki(pin)]), cache: cache)
  for try await recording in robot.recordings(camera: "front", state: .ready) {
    print(recording.name, recording.startedAt)
  }
  let playback = try await robot.playback(of: "front/2026-11-20T10-15-30")
  player.open(try playback.playerURL())  // works for as long as the playback is held
  try await playback.download()
}

@MainActor
protocol Player {
  func open(_ url: URL)
}
