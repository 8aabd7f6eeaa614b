internal import Formats

/// The items of a queue, in order, and what is done next: decides, and fetches nothing.
struct DownloadList: Hashable, Sendable {
  typealias Item = DownloadQueue.Item

  private(set) var items: [Item] = []
  var isPaused = false
  var parallelism = 1
  var network = NetworkCondition()
  /// The robots that can be asked, by what the cache knows them by.
  var connected: Set<String> = []

  /// Items that a queue remembers.
  static let limit = 10_000

  subscript(key: RecordingKey) -> Item? { items.first { $0.key == key } }

  private func index(_ key: RecordingKey) -> Int? { items.firstIndex { $0.key == key } }

  /// - Returns: false where it is there already, or there is no room.
  mutating func add(_ item: Item) -> Bool {
    guard index(item.key) == nil, items.count < Self.limit else { return false }
    items.append(item)
    return true
  }

  mutating func remove(_ key: RecordingKey) { items.removeAll { $0.key == key } }

  mutating func removeFinished() { items.removeAll { $0.state == .finished } }

  /// - Parameter place: counted from 0, without the item itself.
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

  /// Says of each item what it waits for, and which begin or have to stop.
  ///
  /// - Parameters:
  ///   - running: what is being fetched.
  ///   - isDue: whether a robot that was away is to be asked again by now.
  /// - Returns: in the order in which they begin; and what is to be stopped.
  mutating func plan(
    running: Set<RecordingKey>, isDue: (RecordingKey) -> Bool
  ) -> (starting: [RecordingKey], stopping: [RecordingKey]) {
    var starting: [RecordingKey] = []
    var going = 0
    for index in items.indices {
      switch items[index].state {
      case .paused, .finished, .failed: continue
      case .waiting, .downloading: break
      }
      let (item, key) = (items[index], items[index].key)
      let isMeteredOut = network.isMetered && !item.allowsMeteredNetworks
      let obstacle: DownloadQueue.Reason? =
        if isPaused { .queue } else if !connected.contains(key.robot) {
          .connection
        } else if !network.isAvailable
          || isMeteredOut
        {
          .network
        } else if case .waiting(.robot(let error)) = item.state, !isDue(key) {
          .robot(error)
        } else if going >= parallelism {
          .turn
        } else {
          nil
        }
      if let obstacle {
        items[index].state = .waiting(obstacle)
        continue
      }
      going += 1
      items[index].state = .downloading
      if !running.contains(key) { starting.append(key) }
    }
    let wanted = Set(items.filter { $0.state == .downloading }.map(\.key))
    return (starting, running.subtracting(wanted).sorted())
  }
}

/// As it stands in a file, in words: a line for each item, the last one a word by which a cut shows.
extension DownloadList {
  private static let title = "footage-downloads 1"
  /// Of a file, in bytes.
  static let longestText = 16 << 20

  var text: [UInt8] {
    var lines = [Self.title, "paused \(isPaused ? 1 : 0)", "parallel \(parallelism)"]
    for item in items {
      let (word, reason) =
        switch item.state {
        case .waiting, .downloading: ("waiting", "")
        case .paused: ("paused", "")
        case .finished: ("finished", "")
        case .failed(let failure): ("failed", failure.description)
        }
      lines.append(
        [
          "item", word, item.allowsMeteredNetworks ? "metered" : "unmetered",
          PercentEncoding.encodePath(item.key.robot), PercentEncoding.encodePath(item.key.name),
          "=\(PercentEncoding.encodePath(reason))", "=\(PercentEncoding.encodePath(item.recording?.keptJSON ?? ""))",
        ].joined(separator: " "))
    }
    return Array((lines + ["end", ""]).joined(separator: "\n").utf8)
  }

  /// Reads what `text` wrote. A line of a kind that is not known is left out.
  ///
  /// - Returns: nil where it is something else, or was cut off.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.longestText else { return nil }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }[...]
    guard lines.popLast()?.isEmpty == true, lines.popLast() == "end", lines.popFirst() == Self.title else { return nil }
    for line in lines {
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      switch parts.first {
      case "paused" where parts.count > 1: isPaused = parts[1] == "1"
      case "parallel" where parts.count > 1: parallelism = max(1, min(Int(parts[1]) ?? 1, DownloadQueue.parallelLimit))
      case "item" where parts.count >= 7: if let item = Self.item(parts) { _ = add(item) }
      default: continue
      }
    }
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
