package import FootageAPI
package import FootageHTTP

/// The recordings that a client may see and the actions it may take.
package enum Access: Hashable, Sendable {
  /// There is no `viewers.conf`. Every admitted client sees everything, and no client changes anything.
  case everything
  case viewer(ViewerRights)

  /// The cameras whose recordings the client may see.
  package var cameras: CameraSelection {
    switch self {
    case .everything: .all
    case .viewer(let rights): rights.cameras
    }
  }

  /// True if a cache may keep the answers for other clients, whose rights it checks itself.
  package var isShared: Bool {
    switch self {
    case .everything: true
    case .viewer(let rights): rights.permissions.contains(.share)
    }
  }

  /// The rights, in the words that lists use for them.
  package var words: [String] {
    switch self {
    case .everything: []
    case .viewer(let rights): ViewerPermission.allCases.filter(rights.permissions.contains).map(\.rawValue)
    }
  }

  /// The rights on a server where no client can change anything, in the words that lists use for them.
  package var readingWords: [String] {
    words.filter { $0 != ViewerPermission.keep.rawValue && $0 != ViewerPermission.release.rawValue }
  }

  /// Returns true if this access lacks a right that the other access gives.
  package func lacks(anythingOf other: Access) -> Bool {
    switch (self, other) {
    case (.everything, _): false
    case (.viewer(let mine), .everything): !mine.cameras.isEverything
    case (.viewer(let mine), .viewer(let others)): !others.isSubset(of: mine)
    }
  }
}

/// The decision whether a client gets a resource.
package enum Verdict: Hashable, Sendable {
  /// The client gets the resource, without the recordings that it may not see.
  case shown
  /// The client lacks the right to this action. For a recording that the client may not see, the verdict is `absent`
  /// instead.
  case notPermitted
  /// The resource does not exist for this client.
  case absent
}

extension Access {
  /// Returns the verdict. It has a rule for each resource; a new resource does not compile without one.
  ///
  /// - Parameter method: a method that the resource has.
  package func verdict(on resource: Resource, method: HTTPMethod) -> Verdict {
    switch resource {
    case .page, .health, .recordings, .cameras: .shown
    case .metrics: verdict(needing: .status, withoutRules: .shown)
    case .recording(_, let view):
      switch view {
      case .details, .movie, .keyFrame, .clip, .keyFrames, .playlist, .mediaPlaylist, .keyFramePlaylist, .index,
        .manifest:
        .shown
      // Without rules no client is known to be support staff.
      case .raw: verdict(needing: .status, withoutRules: .absent)
      case .protection: verdict(needing: method == .put ? .keep : .release, withoutRules: .notPermitted)
      }
    case .camera(_, let view):
      switch view {
      // A camera that the client may not see looks like a camera without recordings.
      case .timeline, .playlist, .clip: .shown
      case .protection(.keep): verdict(needing: .keep, withoutRules: .notPermitted)
      case .protection(.release): verdict(needing: .release, withoutRules: .notPermitted)
      }
    // The recording that the part belongs to is looked up later. It may be one that the client may not see.
    case .film: .shown
    }
  }

  /// Returns the verdict on a resource that needs a right. `withoutRules` applies if no `viewers.conf` gives rights to
  /// clients.
  private func verdict(needing permission: ViewerPermission, withoutRules: Verdict) -> Verdict {
    switch self {
    case .everything: withoutRules
    case .viewer(let rights): rights.permissions.contains(permission) ? .shown : .notPermitted
    }
  }
}
