internal import FootageServer
internal import Formats
internal import HTTPTransport
internal import ObjectStore
internal import Offload
internal import Storage
internal import System
internal import Trust

/// The options of `serve` that say where recordings are brought.
enum OffloadOptions {
  static let options: [Usage.Option] = [
    .value(
      "offload", "URL",
      "Brings each recording into a store with the S3 API: https://HOST[:PORT]/BUCKET[/PREFIX]; http:// to this machine alone."
    ),
    .value("offload-key", "FILE", "The store's access key and its secret, a line each."),
    .value(
      "offload-region", "NAME", default: StoreAddress.standardRegion,
      "The bucket's region, as requests are signed for it."),
    .flag("offload-host-style", "Has the bucket's name before the host, https://BUCKET.HOST/…, and not in the path."),
    .value(
      "offload-rate", "RATE", "How fast to send there at most: 8M is bits a second, 1MB bytes [as fast as it goes]."),
    .value("offload-pin", "PIN", "The store by its public key: sha256/…, in place of an authority."),
    .value("offload-ca", "FILE", "The authorities that vouch for the store [the system's]."),
    .value(
      "store-cache", "SIZE", default: "2G", "How much of what is read back from the store is kept on this disk."),
    .flag("offload-strict", "Deletes nothing to make room that is not in the store, however full the disk is."),
  ]

  static let details = """
    With --offload, what makes room takes recordings that the store has, and others only when nothing else is left, with a
    warning; with --offload-strict never. Recordings that are in the store alone stay on the list and are played from there.
    footage offload says how it goes.
    """

  /// - Returns: nil where recordings go nowhere.
  static func settings(_ arguments: ParsedArguments, robotName: String?) throws(UsageError) -> OffloadSettings? {
    guard let text = arguments["offload"] else {
      for name in ["offload-key", "offload-rate", "offload-pin", "offload-ca"] where arguments.isGiven(name) {
        throw UsageError("--\(name) says nothing without --offload")
      }
      return nil
    }
    let address: StoreAddress
    do throws(StoreAddressError) {
      address = try StoreAddress(
        text, style: arguments.flag("offload-host-style") ? .virtualHost : .path,
        region: arguments["offload-region"] ?? StoreAddress.standardRegion)
    } catch { throw UsageError("--offload: \(error)") }
    guard let file = keyFile(arguments) else {
      throw UsageError("--offload needs --offload-key with a file: the access key and its secret, a line each")
    }
    let key: StoreKey
    do throws(StoreKeyError) {
      let read = try StoreKey.read(file)
      key = read.key
      if let warning = read.warning { Terminal.say(warning) }
    } catch { throw UsageError("--offload-key: \(error)") }
    let robot = robotName ?? Process.hostName ?? ""
    guard isKeyPart(robot) else {
      throw UsageError(
        "--offload puts recordings below the robot's name, and '\(robot)' cannot stand there: give it one with --robot-name, "
          + "without a slash")
    }
    var settings = OffloadSettings(
      address: address, key: key, trust: try trust(arguments, address), robot: robot,
      earliestNow: Process.buildSeconds)
    if let size = arguments["store-cache"] { settings.cacheBytes = try ByteCount.read(size, option: "store-cache") }
    if let rate = arguments["offload-rate"] {
      settings.bytesPerSecond = try RateText.read(rate, option: "offload-rate").bitsPerSecond / 8
    }
    return settings
  }

  /// A credential of systemd's is a file in a folder that only this service sees.
  private static func keyFile(_ arguments: ParsedArguments) -> String? {
    if let file = arguments["offload-key"] { return file }
    guard let folder = Process.variable("CREDENTIALS_DIRECTORY") else { return nil }
    let file = "\(folder)/offload-key"
    return FileTree.exists(file) ? file : nil
  }

  private static func isKeyPart(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count) && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
      && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  private static func trust(_ arguments: ParsedArguments, _ address: StoreAddress) throws(UsageError) -> TrustPolicy {
    switch (arguments["offload-pin"], arguments["offload-ca"]) {
    case (nil, nil): return .systemAuthorities
    case (_?, _?): throw UsageError("--offload-pin and --offload-ca are two ways to know the store: give one of them")
    case (let pin?, nil):
      do throws(MalformedPin) { return .pinned([try .spki(pin)]) } catch { throw UsageError("--offload-pin: \(error)") }
    case (nil, let path?):
      do throws(StorageError) {
        let file = try RandomAccessFile(path: path, followingLinks: true)
        guard file.length <= Self.largestAuthorities else {
          throw StorageError("read", path, .wrongKind("larger than any file of authorities"))
        }
        let bytes = try file.bytes(at: 0, count: Int(file.length))
        do throws(MalformedPin) { return .pinned(try TrustPin.authorities(bytes)) } catch {
          throw StorageError("use", path, .wrongKind(error.description))
        }
      } catch { throw UsageError("--offload-ca: \(error)") }
    }
  }

  /// In bytes.
  private static let largestAuthorities: UInt64 = 1 << 20
}
