internal import FootageAPI

/// By which rules recordings are deleted to make room; without any, nothing ever is.
package struct RetentionRules: Hashable, Sendable {
  package enum Room: Hashable, Sendable {
    case bytes(UInt64)
    /// Of the file system.
    case percent(Int)

    /// In bytes, of a file system of so many.
    package func bytes(of total: UInt64) -> UInt64 {
      switch self {
      case .bytes(let count): count
      case .percent(let percent): total / 100 * UInt64(clamping: percent)
      }
    }
  }

  /// So much stays free on the disk.
  package var keepFree: Room?
  /// All recordings together are no larger, in bytes.
  package var maxSize: UInt64?
  /// No recording gets older, in nanoseconds.
  package var maxAge: Int64?
  /// The same for cameras of their own.
  package var maxAgeByCamera: [String: Int64]
  /// Nothing younger is deleted, whatever else holds, in nanoseconds.
  package var keepAtLeast: Int64
  /// Whether nothing is ever deleted that is still to come into the store.
  package var onlyStored = false
  /// Of each camera so much stays as long as another camera has more than that, in bytes; 0 for no floor.
  package var cameraFloor: UInt64 = 0
  /// The same for cameras of their own.
  package var cameraFloorByCamera: [String: UInt64] = [:]

  package static let usualKeepAtLeast: Int64 = 3_600_000_000_000
  /// How much of the disk one viewer may protect, where nobody has said otherwise.
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

  /// Whether anything can ever be deleted by them.
  package var isActive: Bool { keepFree != nil || maxSize != nil || maxAge != nil || !maxAgeByCamera.isEmpty }

  /// Of the recordings of a camera; nil for ever.
  func maxAge(of camera: String?) -> Int64? {
    guard let camera, let own = maxAgeByCamera.first(where: { ExactName($0.key) == ExactName(camera) }) else {
      return maxAge
    }
    return own.value
  }

  /// Of a camera, in bytes; 0 for no floor. What has no camera counts as one.
  func floor(of camera: String?) -> UInt64 {
    guard let camera, let own = cameraFloorByCamera.first(where: { ExactName($0.key) == ExactName(camera) }) else {
      return cameraFloor
    }
    return own.value
  }

  /// What is deleted when, for the log; nil without a rule.
  package var words: String? {
    guard isActive else { return nil }
    var parts: [String] = []
    switch keepFree {
    case .bytes(let bytes): parts.append("\(LibraryEvent.words(bytes: bytes)) of the disk stay free")
    case .percent(let percent): parts.append("\(percent) % of the disk stay free")
    case nil: break
    }
    if let maxSize { parts.append("all of them together have \(LibraryEvent.words(bytes: maxSize)) at most") }
    if let maxAge { parts.append("none gets older than \(RetentionPlan.words(ofAge: maxAge))") }
    for (camera, age) in maxAgeByCamera.sorted(by: { $0.key < $1.key }) {
      parts.append("none of \(camera) gets older than \(RetentionPlan.words(ofAge: age))")
    }
    if cameraFloor > 0 {
      parts.append("as long as another camera has more, \(LibraryEvent.words(bytes: cameraFloor)) of each stay")
    }
    for (camera, floor) in cameraFloorByCamera.sorted(by: { $0.key < $1.key }) {
      parts.append("as long as another camera has more, \(LibraryEvent.words(bytes: floor)) of \(camera) stay")
    }
    return
      "\(onlyStored ? "stored recordings" : "recordings") are deleted, the oldest first, so that \(parts.joined(separator: ", and "))"
  }
}
