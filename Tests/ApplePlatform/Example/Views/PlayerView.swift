import AVKit
import FootageClient
import SwiftUI

struct PlayerView: View {
  let watched: Watched
  @Environment(PairedRobots.self) private var robots
  @State private var model = RecordingPlayer()
  @State private var attempt = 0
  @State private var keeping = 0
  @State private var keepFailure: String?

  var body: some View {
    VStack(spacing: 0) {
      VideoPlayer(player: model.player).overlay { cover }
      status.padding()
    }
    .navigationTitle(watched.start?.formatted(date: .abbreviated, time: .standard) ?? "")
    .toolbar {
      ToolbarItem(placement: .primaryAction) {
        Button("Keep", systemImage: isKept ? "checkmark.circle" : "arrow.down.circle") { keeping += 1 }
          .disabled(isKept)
      }
    }
    // A new attempt ends the one before, and goes on at the same second.
    .task(id: attempt) { await model.play(watched, in: robots) }
    .task(id: keeping) { await keep() }
  }

  private var isKept: Bool { model.state?.isComplete == true }

  private func keep() async {
    guard keeping > 0 else { return }
    do { try await model.keep() } catch { keepFailure = error.localizedDescription }
  }

  /// What lies over the picture where there is none.
  @ViewBuilder private var cover: some View {
    if let failure = model.failure {
      FailedView(failure: failure) { attempt += 1 }
    } else {
      switch model.situation {
      case .playing, .playingAlone: EmptyView()
      case .waiting(let reason): WaitingView(reason: reason)
      case .failed(let reason): FailedView(failure: reason) { attempt += 1 }
      }
    }
  }

  /// What stands below it.
  @ViewBuilder private var status: some View {
    if case .playingAlone(let reason) = model.situation { AloneView(reason: reason) }
    if let keepFailure { Label(keepFailure, systemImage: "exclamationmark.triangle").foregroundStyle(.orange) }
    if let state = model.state, !state.isComplete {
      ProgressView(value: Double(state.cachedBytes.reduce(0) { $0 + UInt64($1.count) }), total: Double(state.length))
        .accessibilityLabel("On this device")
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
    if case .refused(_, let reason) = failure as? MediaCacheError { reason } else { failure as? RobotError }
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
