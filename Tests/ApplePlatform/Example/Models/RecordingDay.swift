import FootageClient
import Foundation

/// The recordings of one day.
struct RecordingDay: Identifiable {
  /// The beginning of the day.
  let id: Date
  /// The recordings, newest first.
  let recordings: [RobotRecording]

  /// - Parameter recordings: the recordings, newest first.
  static func days(of recordings: [RobotRecording]) -> [RecordingDay] {
    let byDay = Dictionary(grouping: recordings) { Calendar.current.startOfDay(for: $0.startDate) }
    return byDay.map { RecordingDay(id: $0, recordings: $1) }.sorted { $0.id > $1.id }
  }
}
