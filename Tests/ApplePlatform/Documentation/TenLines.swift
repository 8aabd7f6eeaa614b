/// The code of "AVPlayer in ten lines", in its order.

import AVKit
import FootageClient
import SwiftUI

struct RecordingScreen: View {
  let playback: Playback
  @State private var player = AVPlayer()
  var body: some View {
    VideoPlayer(player: player).task {
      player.replaceCurrentItem(with: try? await playback.playerItem())
      await playback.keepPlaying(in: player)
    }
  }
}

@MainActor
func words(for playback: Playback, in player: AVPlayer) -> String? {
  switch playback.state.situation(at: player.currentTime().seconds) {
  case .playing: nil
  case .playingAlone(let reason): "Playing only from this device: \(reason.localizedDescription)"
  case .waiting(let reason): reason?.localizedDescription ?? "Waiting for the robot"
  case .failed(let reason): reason.localizedDescription
  }
}

@MainActor
func tryAgain(_ name: String, of robot: RobotConnection, in player: AVPlayer) async throws {
  let playback = try await robot.playback(of: name)
  player.replaceCurrentItem(with: try await playback.playerItem(startingAt: player.currentTime()))
  await playback.keepPlaying(in: player)
}

@MainActor
func play(_ camera: String, of robot: RobotConnection, from date: Date, in player: AVPlayer) async throws {
  let playback = try await robot.playback(ofCamera: camera, from: date)
  player.replaceCurrentItem(with: try await playback.playerItem())
  player.play()
}

func thumbnail(of recording: RobotRecording, by robot: RobotConnection) async throws -> CGImage {
  try await robot.keyFrameImage(of: recording.name, at: 1)
}
