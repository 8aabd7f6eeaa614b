/// The code of "From an empty app to a playing video": playing, and the screen meanwhile.

import FootageClient
import Foundation

@MainActor
final class PlayerScreen {
  /// The player's URL works for as long as this object is held.
  private let playback: Playback
  private(set) var status = ""
  private(set) var cached: [Range<Double>] = []
  private var watching: Task<Void, Never>?

  init(_ name: String, of robot: RobotConnection, openPlayer: (URL) -> Void) async throws {
    playback = try await robot.playback(of: name)
    openPlayer(try playback.playerURL())
    watching = Task { [weak self, states = playback.states()] in
      for await state in states { self?.show(state) }
    }
  }

  private func show(_ state: PlaybackState) {
    cached = state.cachedSeconds ?? []
    status = words(for: state)
  }

  func close() { watching?.cancel() }
}

func words(for state: PlaybackState) -> String {
  switch state.activity {
  case .stalled: return "Waiting for the robot"
  case .retrying(let error, let attempt): return "Attempt \(attempt) failed: \(error.localizedDescription)"
  case .failed(.trust(let failure)): return "Another machine answers: \(failure.localizedDescription)"
  case .failed(let error): return "Stopped: \(error.localizedDescription)"
  case .idle, .loading: break
  }
  if state.isComplete { return "Plays without the robot" }
  if let problem = state.storageProblem {
    return "Playing, but not saved: \(MediaCacheError.file(problem).localizedDescription)"
  }
  return "\(Int(state.bytesPerSecond / 1_000)) kB/s"
}

/// Returns the time that can be played from a position before the robot is needed again. Both are in seconds.
func ahead(of position: Double, in state: PlaybackState) -> Double {
  state.bufferedSeconds(from: position) ?? 0
}

func preload(_ names: [String], of robot: RobotConnection) async throws {
  for name in names {
    try await robot.playback(of: name).preload(seconds: 5)
  }
}
