package import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

extension Recording {
  /// Creates a recording that is only in the store, from the manifest that its robot signed; nil if the manifest does
  /// not describe a valid recording.
  ///
  /// - Parameter robot: the robot that the recording belongs to, if there are several: the names of the recording and
  ///   its camera begin with it.
  package convenience init?(
    _ manifest: Manifest, in store: StoredVersions, place: LibraryPaths, of robot: String? = nil
  ) {
    let item = robot.map { manifest.item.of(robot: $0) } ?? manifest.item
    let path = RelativePath(manifest.path)
    guard manifest.layoutVersion == Int(MovieIndex.layoutVersion), let entityTag = item.entityTag,
      case .recording = RecordingName.of(path)
    else { return nil }
    let tag = String(entityTag.dropFirst().dropLast())
    let index: IndexSummary?
    if let digests = manifest.index {
      index = IndexSummary(checking: digests.size, shift: item.shift, keyInterval: item.keyInterval)
      guard index != nil else { return nil }
    } else {
      index = IndexSummary.none
    }
    self.init(
      path: robot.map { RelativePath("\($0)/\(path.text)") } ?? path, name: item.name, camera: item.camera,
      state: .ready, isRecovered: item.isRecovered,
      start: StartTime(item.startedAt, item.startedFrom.flatMap(StartTime.Source.init) ?? .file),
      duration: item.duration,
      video: item.video, audio: item.audio,
      severalVideoTracks: item.videoTracks.isEmpty ? nil : item.videoTracks.ifSeveral,
      version: FileVersion(
        device: 0, inode: 0, size: manifest.file.size, modifiedNanoseconds: manifest.modifiedNanoseconds),
      content: Content(
        tag: tag, composition: Self.composition(of: manifest), preambleDigest: manifest.preamble?.digest ?? [],
        mediaType: path.isQuickTime ? .quickTime : .mp4, index: index, indexDigest: manifest.index?.digest ?? []),
      place: place, keeper: item.isKept ? .anybody : nil, whereabouts: .store(store), robot: robot)
  }

  /// Returns the manifest's composition with the source numbers of this module.
  private static func composition(of manifest: Manifest) -> Composition {
    var composition = Composition()
    for slice in manifest.composition.slices {
      guard case .range(let source, let range) = slice else { continue }
      composition.append(range, of: source == Manifest.fileSource ? recordersFile : storedPreamble)
    }
    return composition
  }

  private static let recordersFile = 0
  private static let storedPreamble = 1
}
