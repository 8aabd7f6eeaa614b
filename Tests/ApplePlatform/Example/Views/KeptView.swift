import FootageClient
import SwiftUI

/// The recordings on this device, which play without a robot.
struct KeptView: View {
  @Environment(PairedRobots.self) private var robots
  @State private var entries: [MediaCache.Entry] = []
  @State private var failure: String?

  var body: some View {
    List {
      if let failure { Label(failure, systemImage: "exclamationmark.triangle").foregroundStyle(.orange) }
      Section {
        ForEach(entries) { entry in
          NavigationLink(value: Watched.kept(entry)) { EntryRow(entry: entry) }
            .swipeActions {
              Button("Remove", role: .destructive) { change { try await $0.remove(entry.key) } }
              // A recording that is not kept is removed in its turn to make room.
              if entry.isKept {
                Button("Keep no longer") { change { try await $0.release(entry.key) } }
              } else {
                Button("Keep") { change { try await $0.keep(entry.key) } }
              }
            }
        }
      } footer: {
        Text("\(size(entries.reduce(0) { $0 + $1.cachedBytes })) on this device")
      }
    }
    .overlay {
      if entries.isEmpty {
        ContentUnavailableView(
          "Nothing here yet", systemImage: "internaldrive", description: Text("What is played is kept on this device."))
      }
    }
    .navigationTitle("On this device")
    .task { await load() }
  }

  private func load() async { entries = await robots.cache?.entries() ?? [] }

  private func change(_ change: @escaping @Sendable (MediaCache) async throws -> Void) {
    guard let cache = robots.cache else { return }
    Task {
      do { try await change(cache) } catch { failure = error.localizedDescription }
      await load()
    }
  }
}

struct EntryRow: View {
  let entry: MediaCache.Entry

  var body: some View {
    VStack(alignment: .leading) {
      Text(entry.recording?.startDate.formatted(date: .abbreviated, time: .shortened) ?? entry.key.name).font(.headline)
      HStack {
        Text(entry.recording?.camera ?? entry.key.name)
        if entry.isKept { Image(systemName: "pin").accessibilityLabel("Kept") }
        Spacer()
        Text(entry.isComplete ? size(entry.cachedBytes) : "\(size(entry.cachedBytes)) of \(size(entry.version.length))")
      }
      .font(.caption).foregroundStyle(.secondary)
    }
  }
}

/// Returns a number of bytes as text for people.
func size(_ bytes: UInt64) -> String { Int64(clamping: bytes).formatted(.byteCount(style: .file)) }
