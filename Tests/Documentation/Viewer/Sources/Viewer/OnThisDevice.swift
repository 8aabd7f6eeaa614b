import FootageClient
import Foundation

extension Command {
  static let ofDevice = [
    Command(name: "keep", parameters: "NAME…", purpose: "fetches recordings and keeps them", run: keep),
    Command(name: "queue", parameters: "", purpose: "goes on with what is to be fetched", run: goOn),
    Command(name: "kept", parameters: "", purpose: "what is on this device", run: kept),
    Command(name: "export", parameters: "NAME FILE", purpose: "of this device, to a file", run: export),
    Command(name: "remove", parameters: "NAME", purpose: "from this device", run: remove),
    Command(name: "storage", parameters: "[MEGABYTES]", purpose: "what is used, or may be", run: storage),
  ]

  private static func keep(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let names = try arguments.rest("a recording's name")
    let robot = try await viewer.robot(arguments)
    if let problem = await viewer.cache.folderProblem { throw problem }
    let queue = await DownloadQueue(in: viewer.cache)
    // A finished or failed download would stay as it is, although the robot may have another version since.
    await queue.removeFinished()
    var keys: Set<RecordingKey> = []
    for name in names {
      let key = await queue.add(name, of: robot)
      await queue.retry(key)
      keys.insert(key)
    }
    try await follow(queue) { keys.contains($0) }
  }

  private static func goOn(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let queue = await DownloadQueue(in: viewer.cache)
    await queue.connect(try await viewer.robot(arguments))
    let robot = try viewer.pairing(arguments).id
    try await follow(queue) { $0.robot == robot }
  }

  /// Prints the progress until all followed downloads are finished or have failed.
  private static func follow(_ queue: DownloadQueue, _ isFollowed: (RecordingKey) -> Bool) async throws {
    var said: [RecordingKey: String] = [:]
    for await items in queue.updates() {
      let followed = items.filter { isFollowed($0.key) }
      for item in followed where said.updateValue(words(for: item), forKey: item.key) != words(for: item) {
        tell("\(printable(item.key.name)): \(words(for: item))")
      }
      guard followed.allSatisfy(\.state.isAtRest) else { continue }
      for case .failed(let failure) in followed.map(\.state) { throw failure }
      return
    }
  }

  private static func kept(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    for entry in await viewer.cache.recordingsOnThisDevice() {
      let start = entry.recording?.startedAt.description ?? "unknown time"
      tell("\(printable(entry.key.name))  \(start)  \(size(entry.cachedBytes))\(entry.isKept ? "  kept" : "")")
    }
  }

  private static func export(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    let entry = try await viewer.entry(arguments.next("the recording's name"), arguments)
    let file = try arguments.file()
    try await viewer.cache.export(entry.key, to: file)
    tell(file.path)
  }

  private static func remove(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    try await viewer.cache.remove(viewer.entry(arguments.next("the recording's name"), arguments).key)
    tell("Removed.")
  }

  private static func storage(_ viewer: Viewer, _ arguments: inout Arguments) async throws {
    if let text = arguments.nextIfAny() {
      guard let megabytes = UInt64(text) else { throw Misuse("\(text) is no number of megabytes") }
      try viewer.home.remember(.megabytes(megabytes))
      try await viewer.cache.setQuota(.megabytes(megabytes))
    }
    let usage = await viewer.cache.usage
    tell("\(size(usage.usedBytes)) of \(size(usage.quota.bytes)) used, \(size(usage.keptBytes)) of them kept")
    tell("\(usage.completeCount) of \(usage.count) recordings play without their robots")
  }
}
