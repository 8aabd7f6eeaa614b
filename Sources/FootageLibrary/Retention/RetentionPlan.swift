internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// What is to be deleted now, and why: from the recordings, the rules, the room and the clocks, and nothing else.
struct RetentionPlan: Hashable {
  enum Reason: Hashable, CustomStringConvertible {
    /// Older than the rule for its camera, in nanoseconds.
    case age(Int64)
    /// All recordings together are larger than they may be.
    case size
    /// Too little of the disk is free.
    case room

    var description: String {
      switch self {
      case .age(let age): "older than \(RetentionPlan.words(ofAge: age))"
      case .size: "the recordings are larger than --max-size"
      case .room: "for room on the disk"
      }
    }
  }

  struct Deletion: Hashable {
    let recording: RetentionCandidate
    let reason: Reason
    /// What that frees, in bytes: 0 for all but the last name of a file.
    let freed: UInt64
  }

  /// In the order in which they go: the oldest first.
  private(set) var deletions: [Deletion] = []
  /// Whether all that may go is not enough.
  private(set) var isShort = false

  /// Whoever is sent a recording has it for so long, in nanoseconds; then it may go, and he keeps what is open.
  static let longestSending: Int64 = 3_600_000_000_000
  /// A refused file is looked at by somebody before it goes, in nanoseconds.
  static let refusedAge: Int64 = 86_400_000_000_000

  /// - Parameters:
  ///   - recordings: all that are listed.
  ///   - room: nil where nobody can tell, so that nothing is deleted for room.
  init(
    of recordings: [RetentionCandidate], by rules: RetentionRules, room: FileSystemSpace?, at moment: RetentionMoment
  ) {
    guard rules.isActive else { return }
    let inodes = Dictionary(grouping: recordings, by: \.version.identity)
    let births = recordings.map { $0.birth(at: moment) }
    /// A file goes as a whole, and is as old as the youngest of its names.
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

    // Step 1: what is too old, however much room there is.
    var rest: [RetentionCandidate] = []
    for (_, candidate) in order {
      // What nothing else has does not go for its age alone.
      if !candidate.isOwed, moment.agesCount, let limit = rules.maxAge(of: candidate.camera),
        candidate.age(at: moment) >= limit
      {
        delete(candidate, .age(limit))
      } else {
        rest.append(candidate)
      }
    }
    // Step 2: the oldest of what is left, until the rest fits, and what nothing else has only behind all others. Only a
    // file that goes with all its names frees anything.
    let files = Self.wholeFiles(rest, inodes, gone)
    let wanted = rules.keepFree.map { $0.bytes(of: room?.totalBytes ?? 0) } ?? 0

    /// Nil where the rest fits.
    func need() -> Reason? {
      if let limit = rules.maxSize, listed > limit { return .size }
      return room != nil && free < wanted ? .room : nil
    }

    /// What a camera has to keep goes only behind all that others can spare.
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

  /// How much each camera has; a file of several names counts once for each of its cameras.
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

  /// Whether these are all the names that a file has.
  private static func isWhole(_ names: [RetentionCandidate]) -> Bool {
    UInt64(names.count) >= names.map(\.linkCount).max() ?? 0
  }

  /// The files that would be freed, each with its names that are left, in the order of the youngest of them.
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

  /// As people say it: `7 d`.
  static func words(ofAge nanoseconds: Int64) -> String {
    let seconds = nanoseconds / 1_000_000_000
    for (unit, length) in [("d", Int64(86_400)), ("h", 3_600), ("m", 60)] {
      if seconds >= length, seconds % length == 0 { return "\(seconds / length) \(unit)" }
    }
    return "\(seconds) s"
  }
}
