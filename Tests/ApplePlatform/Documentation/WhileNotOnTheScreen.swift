/// "Where your URLSession delegate went": what is fetched while the app is not on the screen.

import BackgroundTasks
import FootageClient

/// Goes on with what is to be fetched while the app is not on the screen, when the system has time for it.
@MainActor
final class NightlyDownloads {
  private static let identifier = "com.example.viewer.downloads"
  private let queue: @MainActor () async -> DownloadQueue?

  /// To be made before the app has finished launching.
  init(_ queue: @escaping @MainActor () async -> DownloadQueue?) {
    self.queue = queue
    BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: .main) { task in
      // The system hands it over on the main queue, and keeps none of it.
      nonisolated(unsafe) let task = task
      MainActor.assumeIsolated { self.run(task) }
    }
  }

  /// When the app leaves the screen.
  func schedule() throws {
    let request = BGProcessingTaskRequest(identifier: Self.identifier)
    request.requiresNetworkConnectivity = true
    try BGTaskScheduler.shared.submit(request)
  }

  private func run(_ task: BGTask) {
    // The next night; where that cannot be, the app asks again when it leaves the screen.
    try? schedule()
    let work = Task {
      let queue = await queue()
      await queue?.waitUntilAtRest()
      task.setTaskCompleted(success: queue != nil && !Task.isCancelled)
    }
    // The system calls it on a queue of its own.
    task.expirationHandler = { @Sendable in work.cancel() }
  }
}
