internal import FootageDigest
public import FootageAPI
internal import FootageBase
internal import FootageSystem

extension MediaCache {
  /// The parts of a cached version that its robot has signed, and the parts that differ.
  public struct Proof: Hashable, Sendable {
    /// The signer of a manifest.
    public enum Signature: Hashable, Sendable {
      /// The robot's manifest is not in the cache: nothing is proved, and nothing is disproved.
      case none
      /// The robot signed with this key, which is its present key or an earlier one.
      case robot(PublicKeyPin)
      /// The signer has this key, and is not the robot: nothing is proved.
      case somebodyElse(PublicKeyPin)
    }

    /// The key of the recording.
    public var key: RecordingKey
    /// The version of the recording.
    public var version: RecordingVersion
    /// The signer of the manifest.
    public var signature: Signature
    /// The ranges that match what the robot signed: whole mebibytes, half-open and in order.
    public var provenBytes: [Range<UInt64>]
    /// The ranges that differ from what the robot signed: whole mebibytes. They were set aside, and are fetched again
    /// when they are needed.
    public var badBytes: [Range<UInt64>]
    /// The numbers of the mebibytes that differ from what the robot signed, counted from 0 and in order.
    public var badMebibytes: [Int]

    /// True if every byte of the recording is in the cache, and matches what the robot signed.
    public var isWhole: Bool { badBytes.isEmpty && RangeSet(provenBytes).contains(0..<version.length) }

    /// - Parameters:
    ///   - key: the key of the recording.
    ///   - version: the version of the recording.
    ///   - signature: the signer of the manifest.
    ///   - provenBytes: the ranges that match what the robot signed, half-open and in order.
    ///   - badBytes: the ranges that differ from it, half-open and in order.
    ///   - badMebibytes: the numbers of the mebibytes that differ from it, counted from 0 and in order.
    public init(
      key: RecordingKey, version: RecordingVersion, signature: Signature, provenBytes: [Range<UInt64>] = [],
      badBytes: [Range<UInt64>] = [], badMebibytes: [Int] = []
    ) {
      self.key = key
      self.version = version
      self.signature = signature
      self.provenBytes = provenBytes
      self.badBytes = badBytes
      self.badMebibytes = badMebibytes
    }
  }

  /// Compares the cached bytes of a recording with what its robot signed, without contacting the robot. Reads all of
  /// them. A mebibyte that differs is set aside, and fetched again when it is needed. A mebibyte that is only partly
  /// cached is neither proved nor set aside.
  ///
  /// The manifest arrives with a recording that is cached completely, or with ``RobotConnection/prove(_:)``.
  ///
  /// - Parameters:
  ///   - key: the key of the recording. If two versions are cached, the one that is played when no robot can be asked
  ///     counts.
  ///   - pins: the pins of the robot's present key and of its earlier keys.
  /// - Throws: `.notCached`; `.folder` if the recording's file cannot be opened just now; `.database`.
  public func prove(_ key: RecordingKey, by pins: [PublicKeyPin]) async throws(MediaCacheError) -> Proof {
    guard let store = contents.store, let id = contents.preferred(key, in: store), let record = store.records[id] else {
      throw .notCached(key)
    }
    var proof = Proof(key: key, version: record.version, signature: .none)
    guard let signed = await keptManifest(id, of: record.version, in: store) else { return proof }
    do throws(ManifestError) { proof.signature = .robot(try signed.verify(by: pins)) } catch {
      if case .otherKey(let pin) = error { proof.signature = .somebodyElse(pin) } else { store.remove(.manifest, id) }
      return proof
    }
    let file: any CacheFile
    do throws(StorageError) { file = try store.open(id) } catch { throw .folder(FileFailure(error)) }
    let (digests, claimed) = (signed.manifest.served, record.claimed)
    var (proven, bad) = (RangeSet(), RangeSet())
    for number in 0..<digests.count {
      let range = digests.range(ofMebibyte: number)
      guard claimed.contains(range) else { continue }
      let digest = await contents.syncer.perform { () -> [UInt8]? in
        (try? file.read(at: range.lowerBound, count: Int(range.upperBound - range.lowerBound))).map { SHA256.hash($0) }
      }
      if let digest, digests.digest(ofMebibyte: number).map({ $0.elementsEqual(digest) }) == true {
        proven.insert(range)
      } else {
        bad.insert(range)
        proof.badMebibytes.append(number)
      }
    }
    (proof.provenBytes, proof.badBytes) = (proven.ranges, bad.ranges)
    // Other work went on in the meantime.
    for range in proof.badBytes where store === contents.store && store.problem == nil && store.records[id] != nil {
      try MediaCacheError.index { () throws(SQLiteError) in try contents.setAside(range, of: id, in: store) }
    }
    return proof
  }

  /// Compares the cached bytes of a recording with what its paired robot signed with any key that it ever had, without
  /// contacting the robot.
  ///
  /// - Parameters:
  ///   - key: the key of the recording. If two versions are cached, the one that is played when no robot can be asked
  ///     counts.
  ///   - robot: the pairing with the recording's robot. Its ``PairingStore/Pairing/id`` is the key's
  ///     ``RecordingKey/robot``.
  /// - Throws: the same errors as ``prove(_:by:)``.
  public func prove(_ key: RecordingKey, byKeysOf robot: PairingStore.Pairing) async throws(MediaCacheError) -> Proof {
    try await prove(key, by: robot.earlier + robot.pins)
  }

  /// Returns the manifest that the cache has for a version. A damaged manifest counts as missing, and is removed.
  private func keptManifest(_ id: Int64, of version: RecordingVersion, in store: CacheStore) async -> SignedManifest? {
    guard let file = store.open(.manifest, id) else { return nil }
    let signed = await contents.syncer.perform { () -> SignedManifest? in
      guard file.length <= UInt64(ManifestLimits.bytes) else { return nil }
      return (try? file.read(at: 0, count: Int(file.length))).flatMap { try? SignedManifest($0) }
    }
    guard let signed, signed.isOf(version) else {
      store.remove(.manifest, id)
      return nil
    }
    return signed
  }

  /// Returns the version of a recording whose manifest should be fetched: the one that is played when no robot can be
  /// asked.
  ///
  /// - Parameter isWhole: true if only a complete version counts.
  /// - Returns: nil if there is no such version, or if its manifest is already kept.
  func versionWithoutManifest(_ key: RecordingKey, isWhole: Bool) -> RecordingVersion? {
    guard let store = contents.store, store.problem == nil, let id = contents.preferred(key, in: store),
      let record = store.records[id], record.isComplete || !isWhole, store.open(.manifest, id) == nil
    else { return nil }
    return record.version
  }

  /// Keeps a manifest beside its version, if the version is still in the cache.
  func keep(_ signed: SignedManifest, of key: RecordingKey, _ version: RecordingVersion) {
    guard signed.isOf(version), let id = contents.store?.id(of: key, version) else { return }
    _ = contents.keep(.manifest, signed.bytes, id)
  }
}

extension SignedManifest {
  /// Returns true if the manifest describes this version, according to the tag and the length.
  fileprivate func isOf(_ version: RecordingVersion) -> Bool {
    manifest.item.entityTag == version.tag && manifest.served.size == version.length
  }
}
