/// The code of "Where your URLSession delegate went": downloads while the app is not on the screen.

import BackgroundTasks
import FootageClient

/// Continues the queue's downloads while the app is not on the screen, when the system has time for it.
@MainActor
final class NightlyDownloads {
  private static let identifier = "com.example.viewer.downloads"
  private let queue: @MainActor () async -> DownloadQueue?

  /// Registers the task, which must happen before the app has finished launching.
  init(_ queue: @escaping @MainActor () async -> DownloadQueue?) {
    self.queue = queue
    BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: .main) { task in
      // The system hands the task over on the main queue and keeps no reference to it.
      nonisolated(unsafe) let task = task
      MainActor.assumeIsolated { self.run(task) }
    }
  }

  /// Requests time from the system, for when the app leaves the screen.
  func schedule() throws {
    let request = BGProcessingTaskRequest(identifier: Self.identifier)
    request.requiresNetworkConnectivity = true
    try BGTaskScheduler.shared.submit(request)
  }

  private func run(_ task: BGTask) {
    // Asks for the next night. If that fails, the app asks again when it leaves the screen.
    try? schedule()
    let work = Task {
      let queue = await queue()
      await queue?.waitUntilAtRest()
      task.setTaskCompleted(success: queue != nil && !Task.isCancelled)
    }
    // The system calls the handler on a queue of its own.
    task.expirationHandler = { @Sendable in work.cancel() }
  }
}
