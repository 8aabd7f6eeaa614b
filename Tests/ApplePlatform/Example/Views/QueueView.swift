import FootageClient
import SwiftUI

/// The downloads to this device, in their order.
struct QueueView: View {
  let queue: DownloadQueue
  @State private var contents = QueueContents()

  var body: some View {
    List {
      if let problem = contents.problem {
        Label(problem, systemImage: "exclamationmark.triangle").foregroundStyle(.orange)
      }
      ForEach(contents.items) { item in
        QueueRow(item: item)
          .swipeActions {
            Button("Remove", role: .destructive) { act { await $0.remove(item.key) } }
            switch item.state {
            case .paused: Button("Resume") { act { await $0.resume(item.key) } }
            case .failed: Button("Try again") { act { await $0.retry(item.key) } }
            case .waiting(.network):
              Button("Use this network") { act { await $0.setAllowsMeteredNetworks(true, item.key) } }
            case .waiting, .downloading:
              Button("First") { act { await $0.move(item.key, to: 0) } }
              Button("Pause") { act { await $0.pause(item.key) } }
            case .finished: EmptyView()
            }
          }
      }
    }
    .overlay {
      if contents.items.isEmpty {
        ContentUnavailableView(
          "Nothing to download", systemImage: "arrow.down.circle",
          description: Text("“Keep” beside a recording brings it here."))
      }
    }
    .navigationTitle("Downloads")
    .toolbar {
      ToolbarItem(placement: .primaryAction) {
        if contents.isPaused {
          Button("Go on", systemImage: "play") { act { await $0.resume() } }
        } else {
          Button("Pause all", systemImage: "pause") { act { await $0.pause() } }
        }
      }
      ToolbarItem(placement: .automatic) {
        Button("Clear finished", systemImage: "checkmark.circle") { act { await $0.removeFinished() } }
      }
    }
    .task { await contents.follow(queue) }
  }

  private func act(_ action: @escaping @Sendable (DownloadQueue) async -> Void) {
    Task { [queue] in await action(queue) }
  }
}

struct QueueRow: View {
  let item: DownloadQueue.Item

  var body: some View {
    VStack(alignment: .leading) {
      Text(item.recording?.startDate.formatted(date: .abbreviated, time: .shortened) ?? item.key.name).font(.headline)
      Text(item.words).font(.caption).foregroundStyle(.secondary)
      if item.state == .downloading { ProgressView(value: item.share) }
    }
  }
}
