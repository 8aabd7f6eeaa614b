import AVKit
import FootageClient
import SwiftUI

/// A robot's cameras on a day: a bar for each stretch that was recorded. A tap plays from there.
struct DayView: View {
  let robot: PairedRobots.Robot
  @Environment(PairedRobots.self) private var robots
  @State private var model = CameraDay()
  @State private var moment: Moment?
  @State private var player = AVPlayer()
  @State private var failure: String?

  /// Where a finger was.
  private struct Moment: Hashable {
    let camera: String?
    let date: Date
  }

  var body: some View {
    VStack(alignment: .leading, spacing: 16) {
      VideoPlayer(player: player).aspectRatio(16 / 9, contentMode: .fit)
      DatePicker("Day", selection: $model.day, displayedComponents: [.date])
      ForEach(model.timelines, id: \.camera) { timeline in
        Text(timeline.camera ?? robot.title).font(.headline)
        SpansView(timeline: timeline, interval: model.interval) { date in
          moment = Moment(camera: timeline.camera, date: date)
        }
      }
      if let problem = failure ?? model.failure?.localizedDescription {
        Label(problem, systemImage: "exclamationmark.triangle").foregroundStyle(.orange)
      }
      Spacer()
    }
    .padding()
    .navigationTitle("Timeline")
    .task(id: model.day) { await model.load(robot, from: robots) }
    .task(id: moment) { await play() }
    .onDisappear { player.pause() }
  }

  private func play() async {
    guard let moment else { return }
    do {
      let playback = try await robots.connection(to: robot).playback(ofCamera: moment.camera, from: moment.date)
      player.replaceCurrentItem(with: try playback.playerItem())
      player.play()
      failure = nil
    } catch { failure = error.localizedDescription }
  }
}

struct SpansView: View {
  let timeline: RobotTimeline
  let interval: DateInterval
  let select: (Date) -> Void

  var body: some View {
    GeometryReader { geometry in
      ZStack(alignment: .leading) {
        Capsule().fill(.quaternary)
        ForEach(timeline.spans, id: \.from) { span in
          Capsule().fill(.tint)
            .frame(width: max(2, span.dateInterval.duration / interval.duration * geometry.size.width))
            .offset(x: position(of: span.dateInterval.start) * geometry.size.width)
        }
      }
      .contentShape(Rectangle())
      .onTapGesture { point in
        select(interval.start.addingTimeInterval(point.x / geometry.size.width * interval.duration))
      }
    }
    .frame(height: 24)
    .accessibilityLabel("Recorded: \(timeline.spans.count) stretches")
  }

  /// From 0 to 1.
  private func position(of date: Date) -> Double {
    max(0, date.timeIntervalSince(interval.start) / interval.duration)
  }
}
