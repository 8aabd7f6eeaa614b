import FootageClient
import SwiftUI

/// An app that plays robots' recordings, and keeps them for when the robots are away.
@main
struct ViewerApp: App {
  @State private var robots = PairedRobots()

  var body: some Scene {
    WindowGroup {
      RobotsView()
        .environment(robots)
        // The device's camera app reads a robot's QR code and opens this app with it.
        .onOpenURL { robots.scan($0.absoluteString) }
        .task { await robots.open() }
    }
  }
}
