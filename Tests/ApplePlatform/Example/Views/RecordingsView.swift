import FootageClient
import SwiftUI

struct RecordingsView: View {
  let robot: PairedRobots.Robot
  @Environment(PairedRobots.self) private var robots
  @State private var list = RecordingList()

  var body: some View {
    List {
      if let failure = list.failure {
        Label(failure.localizedDescription, systemImage: "wifi.slash").foregroundStyle(.orange)
      }
      Section { NavigationLink("Timeline", value: Day(robot: robot)) }
      ForEach(list.days) { day in
        Section(day.id.formatted(date: .complete, time: .omitted)) {
          ForEach(day.recordings) { recording in
            NavigationLink(value: Watched.listed(recording, by: robot)) {
              RecordingRow(recording: recording, robot: robot)
            }
          }
        }
      }
    }
    .overlay { overlay }
    .navigationTitle(robot.title)
    .navigationDestination(for: Day.self) { DayView(robot: $0.robot) }
    .refreshable { await list.load(robot, from: robots) }
    .task { await list.load(robot, from: robots) }
  }

  @ViewBuilder private var overlay: some View {
    if list.days.isEmpty {
      if list.isLoading { ProgressView() } else { ContentUnavailableView("No recordings", systemImage: "video.slash") }
    }
  }
}

/// A robot's timeline.
struct Day: Hashable {
  let robot: PairedRobots.Robot
}

struct RecordingRow: View {
  let recording: RobotRecording
  let robot: PairedRobots.Robot
  @Environment(PairedRobots.self) private var robots
  @State private var picture: CGImage?

  var body: some View {
    HStack(spacing: 12) {
      thumbnail
      VStack(alignment: .leading) {
        Text(recording.startDate, style: .time).font(.headline)
        Text(recording.camera ?? recording.name).foregroundStyle(.secondary)
      }
      Spacer()
      if let duration = recording.duration {
        Text(Duration.seconds(duration), format: .time(pattern: .minuteSecond)).font(.caption.monospacedDigit())
      }
    }
    .task { picture = try? await robots.connection(to: robot).keyFrameImage(of: recording.name, at: 1) }
  }

  private var thumbnail: some View {
    ZStack {
      Rectangle().fill(.quaternary)
      if let picture { Image(decorative: picture, scale: 1).resizable().scaledToFill() }
    }
    .frame(width: 80, height: 45)
    .clipShape(.rect(cornerRadius: 6))
    .accessibilityHidden(true)
  }
}
