internal import FootageBase
internal import FootageStore
internal import FootageSystem
internal import FootageAPI

/// The options that describe a store, under either first word: `--offload`, `--offload-key` and so on, or `--store` and
/// so on.
struct StoreOptions: Sendable {
  /// The first word, `offload` or `store`.
  let name: String

  /// - Parameter purpose: the purpose of the store's address, a sentence up to its colon.
  func options(_ purpose: String) -> [Usage.Option] {
    [
      .value(
        name, "URL", "\(purpose): https://HOST[:PORT]/BUCKET[/PREFIX]; http:// only for this machine."),
      .value("\(name)-key", "FILE", "A file with the store's access key and its secret, one line each."),
      .value(
        "\(name)-region", "NAME", default: StoreAddress.standardRegion,
        "The bucket's region, for which requests are signed."),
      .flag(
        "\(name)-host-style", "Puts the bucket's name before the host, https://BUCKET.HOST/…, instead of in the path."),
      .value("\(name)-pin", "PIN", "The pin of the store's public key, sha256/…, instead of an authority."),
      .value("\(name)-ca", "FILE", "The authorities that may issue the store's certificate [the system's]."),
    ]
  }

  /// - Parameter others: further options that have no meaning without the store's address.
  /// - Returns: nil if no store is named.
  func connection(_ arguments: ParsedArguments, others: [String] = []) throws(UsageError) -> StoreConnection? {
    guard let text = arguments[name] else {
      for option in ["\(name)-key", "\(name)-pin", "\(name)-ca"] + others where arguments.isGiven(option) {
        throw UsageError("--\(option) has no effect without --\(name)")
      }
      return nil
    }
    let address: StoreAddress
    do throws(StoreAddressError) {
      address = try StoreAddress(
        text, style: arguments.flag("\(name)-host-style") ? .virtualHost : .path,
        region: arguments["\(name)-region"] ?? StoreAddress.standardRegion)
    } catch { throw UsageError("--\(name): \(error)") }
    guard let file = keyFile(arguments) else {
      throw UsageError("--\(name) requires --\(name)-key FILE, with the access key and its secret, one line each")
    }
    let key: StoreKey
    do throws(StoreKeyError) {
      let read = try StoreKey.read(file)
      key = read.key
      if let warning = read.warning { Terminal.say(warning) }
    } catch { throw UsageError("--\(name)-key: \(error)") }
    return StoreConnection(
      address: address, key: key, trust: try trust(arguments), earliestNow: Process.buildSeconds)
  }

  /// Returns the path of the key file. A credential of systemd is a file in a folder that only this service sees.
  private func keyFile(_ arguments: ParsedArguments) -> String? {
    if let file = arguments["\(name)-key"] { return file }
    guard let folder = Process.variable("CREDENTIALS_DIRECTORY") else { return nil }
    let file = "\(folder)/\(name)-key"
    return FileTree.exists(file) ? file : nil
  }

  private func trust(_ arguments: ParsedArguments) throws(UsageError) -> TrustPolicy {
    switch (arguments["\(name)-pin"], arguments["\(name)-ca"]) {
    case (nil, nil): return .systemAuthorities
    case (_?, _?):
      throw UsageError("--\(name)-pin and --\(name)-ca are two ways to identify the store: use only one of them")
    case (let pin?, nil):
      do throws(MalformedPin) { return .pinned([try .spki(pin)]) } catch { throw UsageError("--\(name)-pin: \(error)") }
    case (nil, let path?):
      do throws(StorageError) {
        let file = try RandomAccessFile(path: path, followingLinks: true)
        guard file.length <= Self.largestAuthorities else {
          throw StorageError("read", path, .wrongKind("too large for a file of authorities"))
        }
        let bytes = try file.bytes(at: 0, count: Int(file.length))
        do throws(MalformedPin) { return .pinned(try TrustPin.authorities(bytes)) } catch {
          throw StorageError("use", path, .wrongKind(error.description))
        }
      } catch { throw UsageError("--\(name)-ca: \(error)") }
    }
  }

  /// The size of the largest file of authorities, in bytes.
  private static let largestAuthorities: UInt64 = 1 << 20
}
