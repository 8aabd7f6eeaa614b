import AVKit
import FootageClient
import SwiftUI

/// A robot's cameras on one day, with a bar for each recorded stretch. A tap plays from that moment.
struct DayView: View {
  let robot: PairedRobots.Robot
  @Environment(PairedRobots.self) private var robots
  @State private var model = RecordedDay()
  @State private var moment: Moment?
  @State private var player = AVPlayer()
  @State private var failure: String?
  @State private var saving = 0
  @State private var clip: URL?

  /// The camera and time at which a person tapped.
  private struct Moment: Hashable {
    let camera: String?
    let date: Date
  }

  var body: some View {
    VStack(alignment: .leading, spacing: 16) {
      VideoPlayer(player: player).aspectRatio(16 / 9, contentMode: .fit)
      DatePicker("Day", selection: $model.day, displayedComponents: [.date])
      ForEach(model.cameras, id: \.camera) { camera in
        Text(camera.camera ?? robot.title).font(.headline)
        if let timeline = camera.timeline {
          SpansView(timeline: timeline, interval: model.interval) { date in
            moment = Moment(camera: camera.camera, date: date)
          }
        }
        if let error = camera.error { Text(error.localizedDescription).font(.footnote).foregroundStyle(.orange) }
      }
      if let problem = failure ?? model.failure?.localizedDescription {
        Label(problem, systemImage: "exclamationmark.triangle").foregroundStyle(.orange)
      }
      Spacer()
    }
    .padding()
    .navigationTitle("Timeline")
    .toolbar {
      ToolbarItem(placement: .primaryAction) {
        if let clip {
          ShareLink(item: clip)
        } else {
          Button("Save a minute", systemImage: "scissors") { saving += 1 }.disabled(moment == nil)
        }
      }
    }
    .task(id: model.day) { await model.load(robot, from: robots) }
    .task(id: moment) { await play() }
    .task(id: saving) { await save() }
    .onDisappear { player.pause() }
  }

  private func save() async {
    guard saving > 0, let moment else { return }
    do { clip = try await model.clip(of: moment.camera, from: moment.date, robot, in: robots) } catch {
      failure = error.localizedDescription
    }
  }

  private func play() async {
    guard let moment else { return }
    clip = nil
    do {
      let playback = try await robots.connection(to: robot).playback(ofCamera: moment.camera, from: moment.date)
      player.replaceCurrentItem(with: try await playback.playerItem())
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

  /// Returns the position of a date in the interval, from 0 to 1.
  private func position(of date: Date) -> Double {
    max(0, date.timeIntervalSince(interval.start) / interval.duration)
  }
}
