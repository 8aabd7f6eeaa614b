import FootageClient
import SwiftUI

/// The space that recordings occupy on this device, and its limit.
struct StorageView: View {
  let cache: MediaCache
  @State private var usage: MediaCache.Usage?
  @State private var failure: String?

  private static let choices: [UInt64] = [1, 4, 16, 64]

  var body: some View {
    Form {
      if let failure { Label(failure, systemImage: "exclamationmark.triangle").foregroundStyle(.orange) }
      if let usage {
        Section {
          LabeledContent("In use", value: size(usage.usedBytes))
          LabeledContent("Kept until you remove it", value: size(usage.keptBytes))
          LabeledContent("Recordings", value: "\(usage.completeCount) of \(usage.count) complete")
          ProgressView(value: Double(usage.usedBytes), total: Double(max(1, usage.quota.bytes)))
            .accessibilityLabel("In use")
        } footer: {
          Text("What is not kept makes room by itself for what is played.")
        }
        Section("May take") {
          ForEach(Self.choices, id: \.self) { gigabytes in
            Button(action: { choose(.gigabytes(gigabytes)) }) {
              Label(
                "\(gigabytes) GB",
                systemImage: usage.quota == .gigabytes(gigabytes) ? "checkmark.circle" : "circle")
            }
          }
        }
        Section {
          Button("Remove what is not kept", role: .destructive) { clean() }
        }
      }
    }
    .navigationTitle("Storage")
    .task { await load() }
  }

  private func load() async { usage = await cache.usage }

  private func choose(_ quota: StorageQuota) {
    Task {
      do { try await cache.setQuota(quota) } catch { failure = error.localizedDescription }
      await load()
    }
  }

  private func clean() {
    Task {
      do { try await cache.clean() } catch { failure = error.localizedDescription }
      await load()
    }
  }
}
