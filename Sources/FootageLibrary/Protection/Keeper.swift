internal import FootageAPI
internal import FootageSystem

/// The owner of a recording's protection, as it is stored with the recording.
package enum Keeper: Hashable, Sendable {
  /// An operator, or an unknown person if an earlier version of Footage did not store the name. The protection does not
  /// count toward any viewer's share.
  case anybody
  /// The viewer with this name.
  case viewer(String)

  private static let viewerPrefix = "viewer "
  /// The mark on a file: the attribute `user.footage.keep`.
  static let markName = "keep"

  /// Parses the value of a file's mark; an unknown value means `anybody`.
  init(mark: [UInt8]) {
    guard mark.starts(with: Self.viewerPrefix.utf8),
      let name = String(validating: mark.dropFirst(Self.viewerPrefix.utf8.count), as: UTF8.self), !name.isEmpty
    else {
      self = .anybody
      return
    }
    self = .viewer(name)
  }

  /// The value of a file's mark.
  var mark: [UInt8] {
    switch self {
    case .anybody: [UInt8(ascii: "1")]
    case .viewer(let name): Array("\(Self.viewerPrefix)\(name)".utf8)
    }
  }

  /// The value in the catalog: nil for anybody.
  var viewer: String? {
    switch self {
    case .anybody: nil
    case .viewer(let name): name
    }
  }
}

/// The total size of the recordings that a viewer protects.
package struct KeptShare: Hashable, Sendable {
  package let viewer: String
  /// The size of the files that are on the disk, in bytes.
  package var bytes: UInt64
}

/// The total size of the recordings that each viewer protects, updated with every change of a recording.
struct KeptShares {
  private var shares: [ExactName: KeptShare] = [:]

  mutating func add(_ recording: Recording) {
    guard let (viewer, bytes) = Self.share(of: recording) else { return }
    let known = shares[ExactName(viewer)]?.bytes ?? 0
    shares[ExactName(viewer)] = KeptShare(viewer: viewer, bytes: known.addingReportingOverflow(bytes).partialValue)
  }

  mutating func remove(_ recording: Recording) {
    guard let (viewer, bytes) = Self.share(of: recording), let known = shares[ExactName(viewer)]?.bytes else { return }
    shares[ExactName(viewer)] = known > bytes ? KeptShare(viewer: viewer, bytes: known - bytes) : nil
  }

  subscript(viewer: String) -> UInt64 { shares[ExactName(viewer)]?.bytes ?? 0 }

  /// The shares, the largest first.
  var all: [KeptShare] { shares.values.sorted { ($1.bytes, $0.viewer) < ($0.bytes, $1.viewer) } }

  /// Returns the recording's part of a share, in bytes. A recording that is only in the store counts as zero, because
  /// it takes no room on the disk.
  private static func share(of recording: Recording) -> (viewer: String, bytes: UInt64)? {
    guard case .viewer(let viewer)? = recording.keeper, !recording.isRemote else { return nil }
    return (viewer, recording.version.size)
  }
}
