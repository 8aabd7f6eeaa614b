import FootageClient
import SwiftUI

struct RobotsView: View {
  @Environment(PairedRobots.self) private var robots
  @State private var isPairing = false

  var body: some View {
    @Bindable var robots = robots
    NavigationStack {
      List {
        if let problem = robots.problem {
          Label(problem, systemImage: "exclamationmark.triangle").foregroundStyle(.orange)
        }
        Section("Robots") {
          ForEach(robots.all) { robot in
            NavigationLink(robot.title, value: robot)
              .swipeActions { Button("Forget", role: .destructive) { Task { await robots.forget(robot) } } }
          }
          Button("Pair with a robot", systemImage: "qrcode") { isPairing = true }
        }
        Section {
          NavigationLink("On this device", value: Kept.recordings)
          NavigationLink("Downloads", value: Kept.downloads)
          NavigationLink("Storage", value: Kept.storage)
        }
      }
      .navigationTitle("Footage")
      .navigationDestination(for: PairedRobots.Robot.self) { RecordingsView(robot: $0) }
      .navigationDestination(for: Kept.self) { kept(of: $0) }
      .navigationDestination(for: Watched.self) { PlayerView(watched: $0) }
      .sheet(isPresented: $isPairing) { LinkEntryView() }
      .sheet(item: $robots.link) { PairingView(link: $0) }
    }
  }

  @ViewBuilder private func kept(of kept: Kept) -> some View {
    switch kept {
    case .recordings: KeptView()
    case .downloads: if let queue = robots.downloads { QueueView(queue: queue) }
    case .storage: if let cache = robots.cache { StorageView(cache: cache) }
    }
  }
}

/// The screens about the recordings on this device.
enum Kept: Hashable { case recordings, downloads, storage }

extension PairingLink: @retroactive Identifiable {
  public var id: PublicKeyPin { pin }
}

extension PairedRobots.Robot {
  var title: String { name ?? address.description }
}
