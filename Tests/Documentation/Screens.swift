/// The code of "From an empty app to a playing video": models that a screen observes.

import FootageClient
import Observation

@MainActor
func title(of list: RecordingListModel) -> String {
  switch list.phase {
  case .idle, .loading: "Loading"
  case .failed(let error): error.localizedDescription
  case .loaded, .refreshing, .loadingMore:
    list.isOffline ? "The robot is away: as of \(list.listedAt?.description ?? "unknown")" : "\(list.recordings.count)"
  }
}

@MainActor
func subtitle(of player: PlaybackModel, at position: Double) -> String {
  if let error = player.error { return error.localizedDescription }
  guard let state = player.state else { return "" }
  return player.canKeepUp(at: position) == false
    ? "Waiting for the robot" : "\(Int(player.cachedShare * 100)) % of \(state.length) bytes"
}
