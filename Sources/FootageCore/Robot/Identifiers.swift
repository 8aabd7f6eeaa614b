extension RobotRecording: Identifiable {
  /// Its name, which is unique on a robot.
  public var id: ExactName { ExactName(name) }
}

extension RobotCamera: Identifiable {
  /// Its name, which is unique on a robot.
  public var id: ExactName { ExactName(name) }
}

extension RobotTimeline.Part: Identifiable {
  /// Its name, which is unique on a robot.
  public var id: ExactName { ExactName(name) }
}

extension MediaCache.Entry: Identifiable {
  /// A recording and one of its versions.
  public struct ID: Hashable, Sendable {
    let key: RecordingKey
    let version: RecordingVersion
  }

  public var id: ID { ID(key: key, version: version) }
}
