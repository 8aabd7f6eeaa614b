import AVKit
import FootageClient
import SwiftUI

struct PlayerView: View {
  let watched: Watched
  @Environment(PairedRobots.self) private var robots
  @State private var model: PlaybackModel?
  @State private var player = AVPlayer()
  /// Of the player, in seconds, as of half a second ago.
  @State private var position = 0.0
  @State private var attempt = 0
  @State private var keeping = 0
  @State private var isKept = false
  @State private var isCutting = false
  /// Why it does not play, where its model does not say so.
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
    // A new attempt ends the one before, and goes on at the same second.
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

  /// A player is no model: nobody is told where it stands.
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

  /// What lies over the picture where there is none.
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

  /// What stands below it.
  @ViewBuilder private var status: some View {
    if case .playingAlone(let reason) = situation { AloneView(reason: reason) }
    if let keepFailure { Label(keepFailure, systemImage: "exclamationmark.triangle").foregroundStyle(.orange) }
    if let model, model.state?.isComplete == false {
      ProgressView(value: model.cachedShare).accessibilityLabel("On this device")
    }
  }
}

/// There is nothing to play yet, and it is on its way.
struct WaitingView: View {
  /// What went wrong last.
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

/// No more comes before somebody tries again.
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
      // Who answers in a robot's place is not to be tried again until it goes away.
      if !isAlarm { Button("Try again", action: retry).buttonStyle(.borderedProminent) }
      if wantsIdentity { Button("Choose a certificate") { isChoosing = true } }
    }
    .background(.regularMaterial)
    .sheet(isPresented: $isChoosing, onDismiss: retry) { IdentityView() }
  }

  private var isAlarm: Bool {
    if case .trust = robotError { true } else { false }
  }

  /// The robot lets in who shows a certificate.
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

/// It plays from what is here, and the robot has no more of it.
struct AloneView: View {
  let reason: RobotError

  var body: some View {
    VStack(alignment: .leading) {
      Label("Playing from this device alone", systemImage: "internaldrive")
      Text(reason.localizedDescription).font(.footnote).foregroundStyle(.secondary)
    }
  }
}
