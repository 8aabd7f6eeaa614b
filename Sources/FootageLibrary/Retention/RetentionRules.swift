internal import FootageAPI

/// The rules by which recordings are deleted to make room. Without any rule, nothing is ever deleted.
package struct RetentionRules: Hashable, Sendable {
  package enum Room: Hashable, Sendable {
    case bytes(UInt64)
    /// A percentage of the file system.
    case percent(Int)

    /// Returns the number of bytes, for a file system with this total size.
    package func bytes(of total: UInt64) -> UInt64 {
      switch self {
      case .bytes(let count): count
      case .percent(let percent): total / 100 * UInt64(clamping: percent)
      }
    }
  }

  /// The room that is kept free on the disk.
  package var keepFree: Room?
  /// The maximum size of all recordings together, in bytes.
  package var maxSize: UInt64?
  /// The maximum age of a recording, in nanoseconds.
  package var maxAge: Int64?
  /// The maximum ages for individual cameras, in nanoseconds.
  package var maxAgeByCamera: [String: Int64]
  /// The minimum age of a deleted recording, whatever the other rules say, in nanoseconds.
  package var keepAtLeast: Int64
  /// True if recordings that have yet to be uploaded to the store are never deleted.
  package var onlyStored = false
  /// The size in bytes below which no camera is reduced as long as other recordings can be deleted; 0 for no floor.
  package var cameraFloor: UInt64 = 0
  /// The floors of individual cameras, in bytes.
  package var cameraFloorByCamera: [String: UInt64] = [:]

  package static let usualKeepAtLeast: Int64 = 3_600_000_000_000
  /// The share of the disk that one viewer may protect by default.
  package static let usualKeepShare = Room.percent(25)

  package init(
    keepFree: Room? = nil, maxSize: UInt64? = nil, maxAge: Int64? = nil, maxAgeByCamera: [String: Int64] = [:],
    keepAtLeast: Int64 = usualKeepAtLeast
  ) {
    self.keepFree = keepFree
    self.maxSize = maxSize
    self.maxAge = maxAge
    self.maxAgeByCamera = maxAgeByCamera
    self.keepAtLeast = keepAtLeast
  }

  /// True if these rules can ever delete anything.
  package var isActive: Bool { keepFree != nil || maxSize != nil || maxAge != nil || !maxAgeByCamera.isEmpty }

  /// Returns the maximum age of a camera's recordings; nil for no limit.
  func maxAge(of camera: String?) -> Int64? {
    guard let camera, let own = maxAgeByCamera.first(where: { ExactName($0.key) == ExactName(camera) }) else {
      return maxAge
    }
    return own.value
  }

  /// Returns a camera's floor in bytes; 0 for no floor. The recordings without a camera count as one camera.
  func floor(of camera: String?) -> UInt64 {
    guard let camera, let own = cameraFloorByCamera.first(where: { ExactName($0.key) == ExactName(camera) }) else {
      return cameraFloor
    }
    return own.value
  }

  /// The rules in words, for the log; nil without a rule.
  package var words: String? {
    guard isActive else { return nil }
    var parts: [String] = []
    switch keepFree {
    case .bytes(let bytes): parts.append("\(LibraryEvent.words(bytes: bytes)) of the disk stays free")
    case .percent(let percent): parts.append("\(percent)% of the disk stays free")
    case nil: break
    }
    if let maxSize { parts.append("all of them together have at most \(LibraryEvent.words(bytes: maxSize))") }
    if let maxAge { parts.append("none is older than \(RetentionPlan.words(ofAge: maxAge))") }
    for (camera, age) in maxAgeByCamera.sorted(by: { $0.key < $1.key }) {
      parts.append("none of \(camera) is older than \(RetentionPlan.words(ofAge: age))")
    }
    if cameraFloor > 0 {
      parts.append("each camera keeps \(LibraryEvent.words(bytes: cameraFloor)) as long as another one has more")
    }
    for (camera, floor) in cameraFloorByCamera.sorted(by: { $0.key < $1.key }) {
      parts.append("\(camera) keeps \(LibraryEvent.words(bytes: floor)) as long as another camera has more")
    }
    return
      "\(onlyStored ? "stored recordings" : "recordings") are deleted, oldest first, so that "
      + "\(parts.joined(separator: ", and "))"
  }
}
