internal import FootageServer
internal import FootageBase
internal import FootageServing
internal import FootageStore
internal import FootageSystem

/// The options of `serve` for the store to which recordings are copied.
enum OffloadOptions {
  private static let store = StoreOptions(name: "offload")

  static let options: [Usage.Option] =
    store.options("Copies each recording to a store with the S3 API") + [
      .value(
        "offload-rate", "RATE",
        "The maximum rate of sending to the store: 8M is bits per second, 1MB bytes per second [unlimited]."),
      .value(
        "store-cache", "SIZE", default: "2G",
        "The maximum size of the cache on this disk for data that is read back from the store."),
      .flag("offload-strict", "Never deletes a recording that is not in the store, however full the disk is."),
    ]

  static let details = """
    With --offload, recordings that the store has are deleted first to make room. Others are deleted only when nothing
    else is left, with a warning; with --offload-strict, never. Recordings that are only in the store stay on the list,
    and are played from there. footage offload shows the progress.
    """

  /// - Returns: nil if there is no store.
  static func settings(_ arguments: ParsedArguments, robotName: String?) throws(UsageError) -> OffloadSettings? {
    guard let connection = try store.connection(arguments, others: ["offload-rate"]) else { return nil }
    let robot = robotName ?? Process.hostName ?? ""
    guard isKeyPart(robot) else {
      throw UsageError(
        "--offload stores recordings under the robot's name, and '\(robot)' cannot be used there: set a name "
          + "without a slash with --robot-name")
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
