import FootageClient
import Foundation
import Observation

/// The contents of the download queue, for a screen.
@MainActor @Observable
final class QueueContents {
  private(set) var items: [DownloadQueue.Item] = []
  private(set) var isPaused = false
  /// The reason why the list of downloads cannot be stored.
  private(set) var problem: String?

  /// Follows the queue until its task is canceled.
  func follow(_ queue: DownloadQueue) async {
    for await items in queue.updates() {
      self.items = items
      isPaused = await queue.isPaused
      problem = await queue.folderProblem?.localizedDescription
    }
  }
}

extension DownloadQueue.Item {
  /// The share of the download that has arrived, from 0 to 1.
  var share: Double? {
    progress.map { $0.total == 0 ? 1 : Double($0.received) / Double($0.total) }
  }

  var words: String {
    switch state {
    case .waiting(.turn): "In turn"
    case .waiting(.network): "Waits for a network that costs nothing"
    case .waiting(.connection): "Waits for the robot"
    case .waiting(.robot(let error)): error.localizedDescription
    case .waiting(.queue), .paused: "Paused"
    case .downloading: "Downloading"
    case .finished: "On this device"
    case .failed(let failure): failure.localizedDescription
    }
  }
}
