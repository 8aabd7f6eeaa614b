internal import FootageAPI

/// What bytes are fetched of: a recording, or a view that has an entity tag and ranges of its own.
struct FetchSubject: Hashable, Sendable {
  private enum Kind: Hashable {
    case recording
    case view(target: String)
  }

  private let kind: Kind
  /// For words.
  let name: String

  static func recording(_ name: String) -> FetchSubject { FetchSubject(kind: .recording, name: name) }

  /// - Parameter name: what it is called in words.
  static func view(target: String, called name: String) -> FetchSubject {
    FetchSubject(kind: .view(target: target), name: name)
  }

  /// Tells it from all others: a recording's name begins with no slash.
  var id: String {
    switch kind {
    case .recording: name
    case .view(let target): target
    }
  }

  /// Whether it has versions that the robot lists.
  var isRecording: Bool { kind == .recording }

  /// Where it is asked for.
  ///
  /// - Parameter tag: of the version that is wanted, where the robot serves versions under URLs of their own.
  func target(versioned tag: String?) -> String {
    switch kind {
    case .recording: Resource.recording(name: name, .movie(version: tag.map { VersionTag(entityTag: $0) })).target
    case .view(let target): target
    }
  }
}
