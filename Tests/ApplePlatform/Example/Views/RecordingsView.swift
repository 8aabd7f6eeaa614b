import FootageClient
import SwiftUI

/// The recordings of a robot; while it is away, the recordings that it listed last.
struct RecordingsView: View {
  let robot: PairedRobots.Robot
  @Environment(PairedRobots.self) private var robots
  @State private var list: RecordingListModel?
  @State private var failure: String?

  var body: some View {
    List {
      if let problem = failure ?? (list?.error ?? list?.offlineReason)?.localizedDescription {
        Label(problem, systemImage: "wifi.slash").foregroundStyle(.orange)
      }
      Section { NavigationLink("Timeline", value: Day(robot: robot)) }
      ForEach(RecordingDay.days(of: list?.recordings ?? [])) { day in
        Section(day.id.formatted(date: .complete, time: .omitted)) {
          ForEach(day.recordings) { recording in
            NavigationLink(value: Watched.listed(recording, by: robot)) {
              RecordingRow(recording: recording, robot: robot)
            }
            .task { await list?.loadMore(showing: recording) }
          }
        }
      }
    }
    .overlay { overlay }
    .navigationTitle(robot.title)
    .navigationDestination(for: Day.self) { DayView(robot: $0.robot) }
    .refreshable { await list?.refresh() }
    .task { await load() }
  }

  @ViewBuilder private var overlay: some View {
    if list?.isBusy == true, list?.recordings.isEmpty == true {
      ProgressView()
    } else if list?.phase == .loaded, list?.recordings.isEmpty == true {
      ContentUnavailableView("No recordings", systemImage: "video.slash")
    }
  }

  private func load() async {
    do {
      if list == nil { list = RecordingListModel(of: try await robots.connection(to: robot), state: .ready) }
      failure = nil
      await list?.load()
    } catch { failure = error.localizedDescription }
  }
}

/// The screen of a robot's timeline.
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
