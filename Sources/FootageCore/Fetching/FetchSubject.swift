internal import FootageAPI

/// The resource whose bytes are fetched: a recording, or a view that has an entity tag and ranges of its own.
struct FetchSubject: Hashable, Sendable {
  private enum Kind: Hashable {
    case recording
    case view(target: String)
  }

  private let kind: Kind
  /// The name for messages.
  let name: String

  static func recording(_ name: String) -> FetchSubject { FetchSubject(kind: .recording, name: name) }

  /// - Parameter name: the name for messages.
  static func view(target: String, called name: String) -> FetchSubject {
    FetchSubject(kind: .view(target: target), name: name)
  }

  /// The unique ID of the resource. A recording's name does not begin with a slash, so it differs from every view's
  /// target.
  var id: String {
    switch kind {
    case .recording: name
    case .view(let target): target
    }
  }

  /// True if the resource is a recording, which has versions that the robot lists.
  var isRecording: Bool { kind == .recording }

  /// Returns the target to request.
  ///
  /// - Parameter tag: the tag of the version that is wanted, if the robot serves versions under URLs of their own.
  func target(versioned tag: String?) -> String {
    switch kind {
    case .recording: Resource.recording(name: name, .movie(version: tag.map { VersionTag(entityTag: $0) })).target
    case .view(let target): target
    }
  }
}
