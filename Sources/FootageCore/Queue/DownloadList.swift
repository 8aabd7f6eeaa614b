internal import FootageBase

/// The items of a queue, in order. The list decides what is done next, and fetches nothing.
struct DownloadList: Hashable, Sendable {
  typealias Item = DownloadQueue.Item

  private(set) var items: [Item] = []
  var isPaused = false
  var parallelism = 1
  /// The condition of the network; nil while it is unknown. Nothing is fetched then.
  var network: NetworkCondition?
  /// The robots that can be asked, by the names under which the cache knows them.
  var connected: Set<String> = []

  subscript(key: RecordingKey) -> Item? { items.first { $0.key == key } }

  private func index(_ key: RecordingKey) -> Int? { items.firstIndex { $0.key == key } }

  /// Adds the items that are not in the list yet. If there is no room, finished items are removed, in the order of the
  /// list.
  ///
  /// - Returns: the keys of the items that were added and are in the list now.
  @discardableResult
  mutating func add(contentsOf new: [Item]) -> [RecordingKey] {
    var known = Set(items.map(\.key))
    var added = new.filter { known.insert($0.key).inserted }
    makeRoom(for: added.count)
    added = Array(added.prefix(max(0, DownloadQueue.limit - items.count)))
    items += added
    return added.map(\.key)
  }

  private mutating func makeRoom(for count: Int) {
    var excess = items.count + count - DownloadQueue.limit
    guard excess > 0 else { return }
    items.removeAll { item in
      guard excess > 0, item.state == .finished else { return false }
      excess -= 1
      return true
    }
  }

  mutating func remove(_ key: RecordingKey) { items.removeAll { $0.key == key } }

  var finished: Set<RecordingKey> { Set(items.lazy.filter { $0.state == .finished }.map(\.key)) }

  mutating func removeFinished() { items.removeAll { $0.state == .finished } }

  /// Removes those of the given items that are finished.
  mutating func removeFinished(_ keys: Set<RecordingKey>) {
    items.removeAll { $0.state == .finished && keys.contains($0.key) }
  }

  /// - Parameter place: the new place, counted from 0 without the item itself.
  mutating func move(_ key: RecordingKey, to place: Int) {
    guard let index = index(key) else { return }
    let item = items.remove(at: index)
    items.insert(item, at: min(max(place, 0), items.count))
  }

  mutating func set(_ state: DownloadQueue.State, _ key: RecordingKey) {
    if let index = index(key) { items[index].state = state }
  }

  mutating func set(_ progress: DownloadProgress, _ key: RecordingKey) {
    if let index = index(key) { items[index].progress = progress }
  }

  mutating func allowMeteredNetworks(_ allows: Bool, _ key: RecordingKey) {
    if let index = index(key) { items[index].allowsMeteredNetworks = allows }
  }

  /// A failure to reach a robot when an item was to be fetched.
  struct Absence: Sendable {
    /// The error of the last attempt.
    let error: RobotError
    /// True if the pause is over, so that the robot is asked again now.
    let isOver: Bool
  }

  /// Sets what each item waits for, and decides which items begin or have to stop.
  ///
  /// - Parameters:
  ///   - running: the items that are being fetched.
  ///   - absence: the failure to reach the robot when the item was tried last; nil if the robot was reached.
  /// - Returns: the items that begin, in their order; and the items that have to stop.
  mutating func plan(
    running: Set<RecordingKey>, absence: (RecordingKey) -> Absence?
  ) -> (starting: [RecordingKey], stopping: [RecordingKey]) {
    var starting: [RecordingKey] = []
    var going = 0
    // The number of items further on that are being fetched, and may be.
    var runningBehind = items.count { running.contains($0.key) && obstacle(to: $0) == nil && Self.isWanted($0) }
    for index in items.indices where Self.isWanted(items[index]) {
      let item = items[index]
      var reason = obstacle(to: item)
      let isRunning = running.contains(item.key)
      if isRunning, reason == nil { runningBehind -= 1 }
      if reason == nil, !isRunning, let absence = absence(item.key) {
        // A robot that was away may still be away: no running item is stopped to find that out.
        reason = absence.isOver && going + runningBehind < parallelism ? nil : .robot(absence.error)
      }
      if reason == nil, going >= parallelism { reason = .turn }
      if let reason {
        items[index].state = .waiting(reason)
        continue
      }
      going += 1
      items[index].state = .downloading
      if !isRunning { starting.append(item.key) }
    }
    let wanted = Set(items.filter { $0.state == .downloading }.map(\.key))
    return (starting, running.subtracting(wanted).sorted())
  }

  private static func isWanted(_ item: Item) -> Bool {
    switch item.state {
    case .waiting, .downloading: true
    case .paused, .finished, .failed: false
    }
  }

  /// Returns the reason why an item would have to wait even if no other item came first.
  private func obstacle(to item: Item) -> DownloadQueue.Reason? {
    if isPaused { return .queue }
    guard connected.contains(item.key.robot) else { return .connection }
    guard let network, network.isAvailable, item.allowsMeteredNetworks || !network.isMetered else { return .network }
    return nil
  }

  // MARK: Several processes

  /// The changes that this process made since the list was written.
  struct Changes: Sendable {
    /// The items that were changed: added, paused, moved or failed, for example.
    var items: Set<RecordingKey> = []
    var removed: Set<RecordingKey> = []
    /// True if settings for all items have changed.
    var settings = false

    /// - Parameter former: the changes that were made before these.
    mutating func add(_ former: Changes) {
      items.formUnion(former.items.subtracting(removed))
      removed.formUnion(former.removed.subtracting(items))
      settings = settings || former.settings
    }
  }

  /// Adopts the list that another process has written since this one read it. The changes of this process stay, and
  /// everything else is taken from the other list.
  mutating func take(_ other: DownloadList, keeping changes: Changes) {
    if !changes.settings { (isPaused, parallelism) = (other.isPaused, other.parallelism) }
    let own = Dictionary(items.map { ($0.key, $0) }) { first, _ in first }
    let former = items
    items = other.items.filter { !changes.removed.contains($0.key) }.map { item in
      // A recording that is on this device is here for all processes.
      guard let here = own[item.key], item.state != .finished else { return item }
      return changes.items.contains(item.key) || here.state == .downloading ? here : item
    }
    add(contentsOf: former.filter { changes.items.contains($0.key) || $0.state == .downloading })
  }
}

/// The list as the text of a file: a line for each item, and a last line whose absence shows that the file was cut off.
extension DownloadList {
  private static let title = "footage-downloads 1"
  /// The largest size of a file in bytes.
  static let longestText = 16 << 20

  /// The largest size of the reason for a failure, in bytes.
  private static let longestReason = 500

  /// - Parameter limit: the largest size in bytes. If there is too little room, the descriptions of listed recordings
  ///   are left out first, then the last items.
  func text(limit: Int = longestText) -> [UInt8] {
    let head = [Self.title, "paused \(isPaused ? 1 : 0)", "parallel \(parallelism)"]
    let end = ["end", ""]
    var room = limit - (head + end).reduce(0) { $0 + $1.utf8.count + 1 }
    var lines: [(beginning: String, json: String)] = []
    for item in items {
      let line = Self.line(of: item)
      guard room > line.beginning.utf8.count else { break }
      room -= line.beginning.utf8.count + 1
      lines.append(line)
    }
    let shown = lines.map { line in
      guard room >= line.json.utf8.count else { return line.beginning }
      room -= line.json.utf8.count
      return line.beginning + line.json
    }
    return Array((head + shown + end).joined(separator: "\n").utf8)
  }

  private static func line(of item: Item) -> (beginning: String, json: String) {
    let (word, reason) =
      switch item.state {
      case .waiting, .downloading: ("waiting", "")
      case .paused: ("paused", "")
      case .finished: ("finished", "")
      case .failed(let failure): ("failed", failure.description)
      }
    let words = [
      "item", word, item.allowsMeteredNetworks ? "metered" : "unmetered",
      PercentEncoding.encodePath(item.key.robot), PercentEncoding.encodePath(item.key.name),
      "=\(PercentEncoding.encodePath(String(decoding: reason.utf8.prefix(longestReason), as: UTF8.self)))", "=",
    ]
    return (words.joined(separator: " "), PercentEncoding.encodePath(item.recording?.keptJSON ?? ""))
  }

  /// Reads what `text` wrote. Lines of an unknown kind are left out.
  ///
  /// - Returns: nil if the bytes are not a list, or were cut off.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.longestText else { return nil }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }[...]
    guard lines.popLast()?.isEmpty == true, lines.popLast() == "end", lines.popFirst() == Self.title else { return nil }
    var read: [Item] = []
    for line in lines {
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      switch parts.first {
      case "paused" where parts.count > 1: isPaused = parts[1] == "1"
      case "parallel" where parts.count > 1: parallelism = max(1, min(Int(parts[1]) ?? 1, DownloadQueue.parallelLimit))
      case "item" where parts.count >= 7: if let item = Self.item(parts) { read.append(item) }
      default: continue
      }
    }
    add(contentsOf: read)
  }

  private static func item(_ parts: [Substring]) -> Item? {
    guard let robot = text(parts[3]), let name = text(parts[4]), let reason = text(parts[5].dropFirst()),
      let json = text(parts[6].dropFirst()), !name.isEmpty
    else { return nil }
    let state: DownloadQueue.State =
      switch parts[1] {
      case "paused": .paused
      case "finished": .finished
      case "failed": .failed(.earlier(reason))
      default: .waiting(.turn)
      }
    return Item(
      key: RecordingKey(robot: robot, name: name), recording: RobotRecording(itemJSON: json), state: state,
      allowsMeteredNetworks: parts[2] == "metered")
  }

  private static func text(_ encoded: Substring) -> String? {
    PercentEncoding.decode(encoded.utf8).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
