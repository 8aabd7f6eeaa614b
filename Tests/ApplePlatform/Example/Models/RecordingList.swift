import FootageClient
import Foundation
import Observation

/// What a robot has recorded, newest first; without it, what is kept of that.
@MainActor @Observable
final class RecordingList {
  struct Day: Identifiable {
    let id: Date
    var recordings: [RobotRecording]
  }

  private(set) var days: [Day] = []
  private(set) var isLoading = false
  /// Why it is what is kept alone.
  private(set) var failure: (any Error)?

  /// A screenful of the last weeks.
  private static let most = 500

  func load(_ robot: PairedRobots.Robot, from robots: PairedRobots) async {
    isLoading = true
    defer { isLoading = false }
    do {
      var found: [RobotRecording] = []
      for try await recording in try await robots.connection(to: robot).recordings(state: .ready) {
        found.append(recording)
        if found.count == Self.most { break }
      }
      show(found)
      failure = nil
    } catch {
      guard !Task.isCancelled else { return }
      failure = error
      if days.isEmpty { show(await robots.kept(of: robot).compactMap(\.recording)) }
    }
  }

  private func show(_ recordings: [RobotRecording]) {
    let byDay = Dictionary(grouping: recordings) { Calendar.current.startOfDay(for: $0.startDate) }
    days = byDay.map { Day(id: $0, recordings: $1) }.sorted { $0.id > $1.id }
  }
}
