/// A name that is told apart by its bytes, as robots tell recordings and cameras apart: an `é` of one letter and one of two
/// are two names, which they are not as Swift's strings.
public struct ExactName: Hashable, Sendable, CustomStringConvertible {
  /// Nil for none.
  public let text: String?

  /// - Parameter text: nil for none.
  public init(_ text: String?) { self.text = text }

  public var description: String { text ?? "" }

  public static func == (one: ExactName, other: ExactName) -> Bool {
    switch (one.text, other.text) {
    case (nil, nil): true
    case (let own?, let others?): own.utf8.elementsEqual(others.utf8)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(text == nil)
    for byte in (text ?? "").utf8 { hasher.combine(byte) }
  }
}

extension RobotRecording: Identifiable {
  /// Its name: one for a robot.
  public var id: ExactName { ExactName(name) }
}

extension RobotCamera: Identifiable {
  /// Its name: one for a robot.
  public var id: ExactName { ExactName(name) }
}

extension RobotTimeline.Part: Identifiable {
  /// Its name: one for a robot.
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
