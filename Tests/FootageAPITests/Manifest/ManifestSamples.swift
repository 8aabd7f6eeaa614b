#if canImport(FootageTLS)
import FootageDigest
import FootageAPI
import FootageBase
import FootageTLS
import LinuxTestSupport

/// Recordings whose manifests are known field by field, and the robots that sign them.
enum ManifestSamples {
  static func signer(_ name: String = "robot") throws -> TLSServerContext {
    try TLSServerContext.make(
      TLSServerConfiguration(
        certificatePEM: try Material.file("\(name).pem"), privateKeyPEM: try Material.file("\(name).key")))
  }

  static func digests(_ bytes: [UInt8]) -> ObjectDigests {
    var digester = ObjectDigester()
    digester.update(bytes)
    return digester.finish()
  }

  static func item(size: UInt64, name: String = "front/2026-11-20T10-15-30") -> RecordingItem {
    let tag = "0123456789abcdef0123456789abcdef"
    return RecordingItem(
      name: name, camera: "front", state: .ready, isRecovered: false, size: size, entityTag: "\"\(tag)\"",
      tag: ItemTag(tag.prefix(16)), startedAt: UnixTimestamp(seconds: 1_795_169_730), startedFrom: "name",
      isInFuture: false, duration: 60.033,
      video: VideoFormat(codec: "avc1.64001F", width: 1280, height: 720, frameRate: 30),
      audio: AudioFormat(codec: "mp4a.40.2", sampleRate: 48_000, channels: 2), shift: 1, keyInterval: 2)
  }

  /// The bytes of a file of 3.5 MiB.
  static let file = (0..<(7 << 19)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
  static let preamble = [UInt8](repeating: 7, count: 1_500_000)
  static let index = Array("an index".utf8)

  /// Returns the manifest of a recording that is served as a preamble and two ranges of the file.
  static func composed(key: [UInt8]) throws -> Manifest {
    var composition = Composition()
    composition.append(0..<UInt64(preamble.count), of: Manifest.preambleSource)
    composition.append(32..<1_000_000, of: Manifest.fileSource)
    composition.append(2_000_000..<3_000_000, of: Manifest.fileSource)
    let served = preamble + file[32..<1_000_000] + file[2_000_000..<3_000_000]
    return try Manifest(
      item: item(size: UInt64(served.count)), path: "front/2026-11-20T10-15-30.mp4",
      modifiedNanoseconds: 1_795_169_730_000_000_000,
      layoutVersion: 1, composition: composition, file: digests(file),
      preamble: digests(preamble), index: digests(index), served: digests(served), key: key)
  }

  /// Returns the manifest of a file that is served unchanged.
  static func plain(key: [UInt8]) throws -> Manifest {
    try Manifest(
      item: item(size: UInt64(file.count)), path: "front/2026-11-20T10-15-30.mp4",
      modifiedNanoseconds: 1_795_169_730_000_000_000,
      layoutVersion: 1,
      composition: Composition(then: [0..<UInt64(file.count)], of: Manifest.fileSource), file: digests(file),
      preamble: nil, index: nil, served: nil, key: key)
  }

  static func signed(_ manifest: Manifest, by signer: TLSServerContext) throws -> [UInt8] {
    try SignedManifest.bytes(of: manifest) { (bytes) throws(TLSError) in try signer.sign(bytes) }
  }
}
#endif
