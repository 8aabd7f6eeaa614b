internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The recordings to delete now, with the reasons. It is computed from the recordings, the rules, the room and the
/// clocks alone.
struct RetentionPlan: Hashable {
  enum Reason: Hashable, CustomStringConvertible {
    /// The recording is older than the rule for its camera allows, in nanoseconds.
    case age(Int64)
    /// The recordings together are larger than allowed.
    case size
    /// Too little of the disk is free.
    case room

    var description: String {
      switch self {
      case .age(let age): "older than \(RetentionPlan.words(ofAge: age))"
      case .size: "the recordings are larger than --max-size"
      case .room: "to make room on the disk"
      }
    }
  }

  struct Deletion: Hashable {
    let recording: RetentionCandidate
    let reason: Reason
    /// The number of bytes that the deletion frees: 0 unless it deletes the last name of a file.
    let freed: UInt64
  }

  /// The deletions in order, the oldest recording first.
  private(set) var deletions: [Deletion] = []
  /// True if the rules require more room even after everything that may be deleted is deleted.
  private(set) var isShort = false

  /// The longest time for which sending a recording prevents its deletion, in nanoseconds. A response that takes longer
  /// can continue, because it has the file open.
  static let longestSending: Int64 = 3_600_000_000_000
  /// The minimum age of a refused file, in nanoseconds, so that a person can examine it before it is deleted.
  static let refusedAge: Int64 = 86_400_000_000_000

  /// - Parameters:
  ///   - recordings: all listed recordings.
  ///   - room: nil if it is unknown; nothing is then deleted to free space.
  init(
    of recordings: [RetentionCandidate], by rules: RetentionRules, room: FileSystemSpace?, at moment: RetentionMoment
  ) {
    guard rules.isActive else { return }
    let inodes = Dictionary(grouping: recordings, by: \.version.identity)
    let births = recordings.map { $0.birth(at: moment) }
    /// The candidates for deletion with their ages, oldest first. A file is deleted as a whole, and is as old as the
    /// youngest of its names.
    var order: [(birth: Int64, candidate: RetentionCandidate)] = []
    for (candidate, birth) in zip(recordings, births) where Self.mayGo(candidate, rules, moment) {
      order.append((birth, candidate))
    }
    order.sort { Self.isOlder($0.candidate, $0.birth, than: $1.candidate, $1.birth) }
    var listed = inodes.values.reduce(UInt64(0)) { sum, names in
      sum &+ (Self.isWhole(names) ? names[0].version.size : 0)
    }
    var free = room?.freeBytes ?? .max
    var gone: [FileVersion.Identity: Int] = [:]
    var cameraBytes = Self.bytesByCamera(inodes)

    func delete(_ candidate: RetentionCandidate, _ reason: Reason) {
      let identity = candidate.version.identity
      gone[identity, default: 0] += 1
      let frees = UInt64(clamping: gone[identity] ?? 0) >= candidate.linkCount
      if frees {
        listed -= min(listed, candidate.version.size)
        let camera = ExactName(candidate.camera)
        if let bytes = cameraBytes[camera] { cameraBytes[camera] = bytes - min(bytes, candidate.version.size) }
        free = free.addingReportingOverflow(candidate.version.size).overflow ? .max : free + candidate.version.size
      }
      deletions.append(Deletion(recording: candidate, reason: reason, freed: frees ? candidate.version.size : 0))
    }

    // Step 1: recordings that are too old, however much room there is.
    var rest: [RetentionCandidate] = []
    for (_, candidate) in order {
      // The only copy of a recording is not deleted because of its age alone.
      if !candidate.isOwed, moment.agesCount, let limit = rules.maxAge(of: candidate.camera),
        candidate.age(at: moment) >= limit
      {
        delete(candidate, .age(limit))
      } else {
        rest.append(candidate)
      }
    }
    // Step 2: the oldest remaining recordings, until the rest fits; only copies come after all others. Deleting a file
    // frees space only if all its names are deleted.
    let files = Self.wholeFiles(rest, inodes, gone)
    let wanted = rules.keepFree.map { $0.bytes(of: room?.totalBytes ?? 0) } ?? 0

    /// Returns the reason to delete more; nil if the rules are met.
    func need() -> Reason? {
      if let limit = rules.maxSize, listed > limit { return .size }
      return room != nil && free < wanted ? .room : nil
    }

    /// Deletes files, oldest first, until the rules are met. The first pass skips files whose deletion would leave
    /// their camera with less than its floor. Only if the rules are not met then, a second pass deletes the skipped
    /// files, also oldest first.
    func makeRoom(by files: [[RetentionCandidate]]) {
      var spared: [[RetentionCandidate]] = []
      for names in files {
        guard let reason = need() else { return }
        let isFloorReached = names.contains { name in
          let floor = rules.floor(of: name.camera)
          let bytes = cameraBytes[ExactName(name.camera)] ?? 0
          return floor > 0 && bytes - min(bytes, name.version.size) < floor
        }
        if isFloorReached { spared.append(names) } else { for name in names { delete(name, reason) } }
      }
      for names in spared {
        guard let reason = need() else { return }
        for name in names { delete(name, reason) }
      }
    }

    makeRoom(by: files.filter { !$0.contains(where: \.isOwed) })
    if !rules.onlyStored { makeRoom(by: files.filter { $0.contains(where: \.isOwed) }) }
    isShort = rules.maxSize.map { listed > $0 } ?? false || (room != nil && free < wanted)
  }

  private static func mayGo(
    _ candidate: RetentionCandidate, _ rules: RetentionRules, _ moment: RetentionMoment
  ) -> Bool {
    if candidate.isKept || candidate.hasWriter || candidate.isLeftAlone { return false }
    if let since = candidate.openSince, moment.uptime - since < longestSending { return false }
    let youngest = candidate.isRefused ? max(rules.keepAtLeast, refusedAge) : rules.keepAtLeast
    return !candidate.isYounger(than: youngest, at: moment)
  }

  private static func isOlder(
    _ one: RetentionCandidate, _ birth: Int64, than other: RetentionCandidate, _ otherBirth: Int64
  ) -> Bool {
    if birth != otherBirth { return birth < otherBirth }
    if one.sighting.order != other.sighting.order { return one.sighting.order < other.sighting.order }
    if one.startedAt != other.startedAt { return one.startedAt < other.startedAt }
    return one.path < other.path
  }

  /// Returns the total size per camera. A file with several names counts once for each of its cameras.
  private static func bytesByCamera(_ inodes: [FileVersion.Identity: [RetentionCandidate]]) -> [ExactName: UInt64] {
    var bytes: [ExactName: UInt64] = [:]
    for names in inodes.values {
      for camera in Set(names.map { ExactName($0.camera) }) {
        let size = names.first?.version.size ?? 0
        bytes[camera, default: 0] = (bytes[camera] ?? 0).addingReportingOverflow(size).partialValue
      }
    }
    return bytes
  }

  /// Returns true if these are all the names that the file has on the disk.
  private static func isWhole(_ names: [RetentionCandidate]) -> Bool {
    UInt64(names.count) >= names.map(\.linkCount).max() ?? 0
  }

  /// Returns the files all of whose names may be deleted, each with its remaining names, in the order of their youngest
  /// names.
  private static func wholeFiles(
    _ rest: [RetentionCandidate], _ inodes: [FileVersion.Identity: [RetentionCandidate]],
    _ gone: [FileVersion.Identity: Int]
  ) -> [[RetentionCandidate]] {
    var names: [FileVersion.Identity: [RetentionCandidate]] = [:]
    var files: [[RetentionCandidate]] = []
    for candidate in rest {
      let identity = candidate.version.identity
      names[identity, default: []].append(candidate)
      guard let all = inodes[identity], isWhole(all), let own = names[identity],
        own.count + (gone[identity] ?? 0) == all.count
      else { continue }
      files.append(own)
    }
    return files
  }

  /// Returns an age for people to read, such as `7 d`.
  static func words(ofAge nanoseconds: Int64) -> String {
    let seconds = nanoseconds / 1_000_000_000
    for (unit, length) in [("d", Int64(86_400)), ("h", 3_600), ("m", 60)] {
      if seconds >= length, seconds % length == 0 { return "\(seconds / length) \(unit)" }
    }
    return "\(seconds) s"
  }
}
