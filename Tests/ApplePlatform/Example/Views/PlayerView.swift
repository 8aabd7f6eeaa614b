import AVKit
import FootageClient
import SwiftUI

struct PlayerView: View {
  let watched: Watched
  @Environment(PairedRobots.self) private var robots
  @State private var model: PlaybackModel?
  @State private var player = AVPlayer()
  /// The player's position in seconds, at most half a second old.
  @State private var position = 0.0
  @State private var attempt = 0
  @State private var keeping = 0
  @State private var isKept = false
  @State private var isCutting = false
  /// The reason why the recording does not play, if its model does not give one.
  @State private var failure: (any Error)?
  @State private var keepFailure: String?

  var body: some View {
    VStack(spacing: 0) {
      VideoPlayer(player: player).overlay { cover }
      status.padding()
    }
    .navigationTitle(watched.start?.formatted(date: .abbreviated, time: .standard) ?? "")
    .toolbar {
      ToolbarItem(placement: .primaryAction) {
        Button("Keep", systemImage: isKept ? "checkmark.circle" : "arrow.down.circle") { keeping += 1 }
          .disabled(isKept)
      }
      ToolbarItem(placement: .automatic) {
        Button("Clip", systemImage: "scissors") { isCutting = true }.disabled(model?.playback == nil)
      }
    }
    // A new attempt ends the previous one and continues at the same second.
    .task(id: attempt) { await play() }
    .task(id: keeping) { await keep() }
    .task { await followPlayer() }
    .onDisappear { player.pause() }
    .sheet(isPresented: $isCutting) {
      if let playback = model?.playback { ClipView(playback: playback, position: player.currentTime().seconds) }
    }
  }

  private func play() async {
    failure = nil
    do {
      if model == nil { model = try await watched.model(in: robots) }
      await model?.reopen()
      guard let playback = model?.playback else { return }
      let start = player.currentItem == nil ? .zero : player.currentTime()
      player.replaceCurrentItem(with: try await playback.playerItem(startingAt: start))
      await playback.keepPlaying(in: player)
    } catch {
      if !Task.isCancelled { failure = error }
    }
  }

  /// Follows the player's position by polling, because a player does not publish it.
  private func followPlayer() async {
    while !Task.isCancelled {
      position = player.currentTime().seconds
      try? await Task.sleep(for: .milliseconds(500))
    }
  }

  private func keep() async {
    guard keeping > 0 else { return }
    keepFailure = nil
    do {
      try await watched.keep(in: robots)
      isKept = true
    } catch { keepFailure = error.localizedDescription }
  }

  private var situation: PlaybackSituation {
    model?.state?.situation(at: position) ?? .waiting(nil)
  }

  /// The view over the picture while there is no picture.
  @ViewBuilder private var cover: some View {
    if let failure {
      FailedView(failure: failure) { attempt += 1 }
    } else if case .failed(let reason)? = model?.phase {
      FailedView(failure: reason) { attempt += 1 }
    } else {
      switch situation {
      case .playing, .playingAlone: EmptyView()
      case .waiting(let reason): WaitingView(reason: reason)
      case .failed(let reason): FailedView(failure: reason) { attempt += 1 }
      }
    }
  }

  /// The view below the picture.
  @ViewBuilder private var status: some View {
    if case .playingAlone(let reason) = situation { AloneView(reason: reason) }
    if let keepFailure { Label(keepFailure, systemImage: "exclamationmark.triangle").foregroundStyle(.orange) }
    if let model, model.state?.isComplete == false {
      ProgressView(value: model.cachedShare).accessibilityLabel("On this device")
    }
  }
}

/// A view for a recording that has nothing to play yet, but whose bytes are on their way.
struct WaitingView: View {
  /// The most recent failure.
  let reason: RobotError?

  var body: some View {
    VStack(spacing: 8) {
      ProgressView()
      if let reason { Text(reason.localizedDescription).font(.footnote).multilineTextAlignment(.center) }
    }
    .padding()
    .background(.regularMaterial, in: .rect(cornerRadius: 12))
  }
}

/// A view for a recording that receives no more bytes until a person tries again.
struct FailedView: View {
  let failure: any Error
  let retry: @MainActor () -> Void
  @State private var isChoosing = false

  var body: some View {
    ContentUnavailableView {
      Label(failure.localizedDescription, systemImage: isAlarm ? "exclamationmark.shield" : "wifi.exclamationmark")
    } description: {
      if let advice = (failure as? any LocalizedError)?.recoverySuggestion { Text(advice) }
    } actions: {
      // The app offers no second attempt while an impostor answers in the robot's place.
      if !isAlarm { Button("Try again", action: retry).buttonStyle(.borderedProminent) }
      if wantsIdentity { Button("Choose a certificate") { isChoosing = true } }
    }
    .background(.regularMaterial)
    .sheet(isPresented: $isChoosing, onDismiss: retry) { IdentityView() }
  }

  private var isAlarm: Bool {
    if case .trust = robotError { true } else { false }
  }

  /// True if the robot accepts only apps that show a certificate.
  private var wantsIdentity: Bool {
    if case .identity = robotError { true } else { false }
  }

  private var robotError: RobotError? {
    switch failure {
    case RobotError.cache(.refused(_, let reason)), MediaCacheError.refused(_, let reason): reason
    default: failure as? RobotError
    }
  }
}

/// A view for a recording that plays from this device because the robot does not have any more of it.
struct AloneView: View {
  let reason: RobotError

  var body: some View {
    VStack(alignment: .leading) {
      Label("Playing only from this device", systemImage: "internaldrive")
      Text(reason.localizedDescription).font(.footnote).foregroundStyle(.secondary)
    }
  }
}
