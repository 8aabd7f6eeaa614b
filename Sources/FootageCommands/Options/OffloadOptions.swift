internal import FootageServer
internal import FootageBase
internal import FootageServing
internal import FootageStore
internal import FootageSystem

/// The options of `serve` for the store to which recordings are copied.
enum OffloadOptions {
  private static let store = StoreOptions(name: "offload")

  static let options: [Usage.Option] =
    store.options("Brings each recording into a store with the S3 API") + [
      .value(
        "offload-rate", "RATE", "How fast to send there at most: 8M is bits a second, 1MB bytes [as fast as it goes]."),
      .value(
        "store-cache", "SIZE", default: "2G", "How much of what is read back from the store is kept on this disk."),
      .flag("offload-strict", "Deletes nothing to make room that is not in the store, however full the disk is."),
    ]

  static let details = """
    With --offload, what makes room takes recordings that the store has, and others only when nothing else is left, with a
    warning; with --offload-strict never. Recordings that are in the store alone stay on the list and are played from there.
    footage offload says how it goes.
    """

  /// - Returns: nil if there is no store.
  static func settings(_ arguments: ParsedArguments, robotName: String?) throws(UsageError) -> OffloadSettings? {
    guard let connection = try store.connection(arguments, others: ["offload-rate"]) else { return nil }
    let robot = robotName ?? Process.hostName ?? ""
    guard isKeyPart(robot) else {
      throw UsageError(
        "--offload puts recordings below the robot's name, and '\(robot)' cannot stand there: give it one with --robot-name, "
          + "without a slash")
    }
    var settings = OffloadSettings(
      address: connection.address, key: connection.key, trust: connection.trust, robot: robot,
      earliestNow: connection.earliestNow)
    if let size = arguments["store-cache"] { settings.cacheBytes = try ByteCount.read(size, option: "store-cache") }
    if let rate = arguments["offload-rate"] {
      settings.bytesPerSecond = try RateText.read(rate, option: "offload-rate").bitsPerSecond / 8
    }
    return settings
  }

  private static func isKeyPart(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count) && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
      && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}
