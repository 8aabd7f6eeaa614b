package import FootageAPI
package import FootageHTTP

/// What somebody who asks may see and do.
package enum Access: Hashable, Sendable {
  /// There is no `viewers.conf`: whoever comes in sees everything, and nobody changes anything.
  case everything
  case viewer(ViewerRights)

  /// What of the recordings there is to see.
  package var cameras: CameraSelection {
    switch self {
    case .everything: .all
    case .viewer(let rights): rights.cameras
    }
  }

  /// Whether a cache may keep what is answered for others, whom it checks itself.
  package var isShared: Bool {
    switch self {
    case .everything: true
    case .viewer(let rights): rights.permissions.contains(.share)
    }
  }

  /// As lists tell them.
  package var words: [String] {
    switch self {
    case .everything: []
    case .viewer(let rights): ViewerPermission.allCases.filter(rights.permissions.contains).map(\.rawValue)
    }
  }

  /// The same where nobody can change anything.
  package var readingWords: [String] {
    words.filter { $0 != ViewerPermission.keep.rawValue && $0 != ViewerPermission.release.rawValue }
  }

  /// Whether it goes without a right that this other one gives.
  package func lacks(anythingOf other: Access) -> Bool {
    switch (self, other) {
    case (.everything, _): false
    case (.viewer(let mine), .everything): !mine.cameras.isEverything
    case (.viewer(let mine), .viewer(let others)): !others.isSubset(of: mine)
    }
  }
}

/// Whether a resource is there for somebody.
package enum Verdict: Hashable, Sendable {
  /// Yes, as far as recordings that they may not see are left out of it.
  case shown
  /// They lack a right; where it is about a recording, it has to be one that they may see, or else it is absent.
  case notPermitted
  /// For them there is no such thing.
  case absent
}

extension Access {
  /// Every resource has its rule here, and a new one is not compiled without.
  ///
  /// - Parameter method: one that the resource has.
  package func verdict(on resource: Resource, method: HTTPMethod) -> Verdict {
    switch resource {
    case .page, .health, .recordings, .cameras: .shown
    case .metrics: verdict(needing: .status, withoutRules: .shown)
    case .recording(_, let view):
      switch view {
      case .details, .movie, .keyFrame, .clip, .keyFrames, .playlist, .mediaPlaylist, .keyFramePlaylist, .index,
        .manifest:
        .shown
      // Without rules nobody is known to be support.
      case .raw: verdict(needing: .status, withoutRules: .absent)
      case .protection: verdict(needing: method == .put ? .keep : .release, withoutRules: .notPermitted)
      }
    case .camera(_, let view):
      switch view {
      // What of a camera they may not see is a camera without recordings.
      case .timeline, .playlist, .clip: .shown
      case .protection(.keep): verdict(needing: .keep, withoutRules: .notPermitted)
      case .protection(.release): verdict(needing: .release, withoutRules: .notPermitted)
      }
    // Of which recording it is a part is looked up, and may be one that they may not see.
    case .film: .shown
    }
  }

  /// What needs a right; `withoutRules` holds where no `viewers.conf` gives rights to anybody.
  private func verdict(needing permission: ViewerPermission, withoutRules: Verdict) -> Verdict {
    switch self {
    case .everything: withoutRules
    case .viewer(let rights): rights.permissions.contains(permission) ? .shown : .notPermitted
    }
  }
}
