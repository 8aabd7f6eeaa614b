import FootageClient
import Foundation

/// What was recorded on one day.
struct RecordingDay: Identifiable {
  /// Its beginning.
  let id: Date
  /// The newest first.
  let recordings: [RobotRecording]

  /// - Parameter recordings: the newest first.
  static func days(of recordings: [RobotRecording]) -> [RecordingDay] {
    let byDay = Dictionary(grouping: recordings) { Calendar.current.startOfDay(for: $0.startDate) }
    return byDay.map { RecordingDay(id: $0, recordings: $1) }.sorted { $0.id > $1.id }
  }
}
