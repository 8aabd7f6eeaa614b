import FootageClient
import SwiftUI

/// Plays what robots have recorded, and keeps it for when they are away.
@main
struct ViewerApp: App {
  @State private var robots = PairedRobots()

  var body: some Scene {
    WindowGroup {
      RobotsView()
        .environment(robots)
        // The camera of the device reads a robot's QR code, and opens the app with it.
        .onOpenURL { robots.scan($0.absoluteString) }
        .task { await robots.open() }
    }
  }
}
