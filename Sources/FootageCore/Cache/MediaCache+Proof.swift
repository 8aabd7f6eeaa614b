internal import FootageDigest
public import FootageAPI
internal import FootageBase
internal import FootageSystem

extension MediaCache {
  /// What of a cached version its robot has signed, and what of it is something else.
  public struct Proof: Hashable, Sendable {
    /// Who says what the bytes are.
    public enum Signature: Hashable, Sendable {
      /// The robot's manifest is not here: nothing is proved, and nothing disproved.
      case none
      /// The robot, by this key, the present one or an earlier one.
      case robot(PublicKeyPin)
      /// Whoever has this key, who is not the robot: nothing is proved.
      case somebodyElse(PublicKeyPin)
    }

    /// Its recording.
    public var key: RecordingKey
    /// Which of its versions.
    public var version: RecordingVersion
    /// Who signed the manifest.
    public var signature: Signature
    /// Whole mebibytes that are what the robot signed; half-open, in order.
    public var provenBytes: [Range<UInt64>]
    /// Whole mebibytes that are not: they were set aside, and are fetched again when they are wanted.
    public var badBytes: [Range<UInt64>]
    /// Mebibytes, counted from 0, that are not what the robot signed; in order.
    public var badMebibytes: [Int]

    /// Whether every byte of the recording is here, and what the robot signed.
    public var isWhole: Bool { badBytes.isEmpty && RangeSet(provenBytes).contains(0..<version.length) }

    /// - Parameters:
    ///   - key: of its recording.
    ///   - version: which of its versions.
    ///   - signature: who signed the manifest.
    ///   - provenBytes: half-open, in order.
    ///   - badBytes: half-open, in order.
    ///   - badMebibytes: counted from 0, in order.
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

  /// Compares what is cached of a recording with what its robot has signed, without the robot. Reads all of it. A
  /// mebibyte that is something else is set aside, and fetched again when it is wanted; one that is here in part is
  /// neither proved nor set aside.
  ///
  /// The manifest comes with what is cached whole, or by ``RobotConnection/prove(_:)``.
  ///
  /// - Parameters:
  ///   - key: where two versions are cached, the one that plays without the robot counts.
  ///   - pins: of the robot: its present key, and those that it had before.
  /// - Throws: `.notCached`; `.folder` where its file cannot be read just now, or the folder not be written; `.database`.
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
    // Others went on meanwhile.
    for range in proof.badBytes where store === contents.store && store.problem == nil && store.records[id] != nil {
      try MediaCacheError.index { () throws(SQLiteError) in try contents.setAside(range, of: id, in: store) }
    }
    return proof
  }

  /// Compares what is cached of a recording with what its paired robot has signed, by any key that it ever had, without
  /// the robot.
  ///
  /// - Parameters:
  ///   - key: where two versions are cached, the one that plays without the robot counts.
  ///   - robot: whose recording it is: its ``PairingStore/Pairing/id`` is the key's ``RecordingKey/robot``.
  /// - Throws: as ``prove(_:by:)``.
  public func prove(_ key: RecordingKey, byKeysOf robot: PairingStore.Pairing) async throws(MediaCacheError) -> Proof {
    try await prove(key, by: robot.earlier + robot.pins)
  }

  /// The manifest that is kept of a version; one that is damaged is as good as none, and goes.
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

  /// The version of a recording whose manifest would be of use: the one that plays without the robot.
  ///
  /// - Parameter isWhole: whether only one counts that is complete.
  /// - Returns: nil where there is none, or it has its manifest.
  func versionWithoutManifest(_ key: RecordingKey, isWhole: Bool) -> RecordingVersion? {
    guard let store = contents.store, store.problem == nil, let id = contents.preferred(key, in: store),
      let record = store.records[id], record.isComplete || !isWhole, store.open(.manifest, id) == nil
    else { return nil }
    return record.version
  }

  /// Keeps a manifest beside the version that it is of, where that is still here.
  func keep(_ signed: SignedManifest, of key: RecordingKey, _ version: RecordingVersion) {
    guard signed.isOf(version), let id = contents.store?.id(of: key, version) else { return }
    _ = contents.keep(.manifest, signed.bytes, id)
  }
}

extension SignedManifest {
  /// Whether these are the bytes that it speaks of, by the tag and the length.
  fileprivate func isOf(_ version: RecordingVersion) -> Bool {
    manifest.item.entityTag == version.tag && manifest.served.size == version.length
  }
}
