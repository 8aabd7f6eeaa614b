internal import FootageDigest
package import FootageAPI
internal import FootageBase
internal import FootageLibrary

/// A row of the index: one version of a robot's recording.
package struct FleetRow: Hashable, Sendable {
  package let robot: String
  /// The tag of the version, which is part of the names of its objects.
  package let tag: String
  /// The item as it is listed. Its name and its camera begin with the robot's name.
  package let item: RecordingItem
  /// The time of the last write to the recorder's file, in nanoseconds since 1970. If there are two versions, the one
  /// that was written later is shown.
  package let modifiedNanoseconds: Int64
  /// The SHA-256 of the manifest as it is in the store.
  package let digest: [UInt8]
  /// The robot's key that signed the manifest; nil if the recording is refused.
  package let signer: PublicKeyPin?

  package init(
    robot: String, tag: String, item: RecordingItem, modifiedNanoseconds: Int64, digest: [UInt8], signer: PublicKeyPin?
  ) {
    self.robot = robot
    self.tag = tag
    self.item = item
    self.modifiedNanoseconds = modifiedNanoseconds
    self.digest = digest
    self.signer = signer
  }

  package var name: String { item.name }

  package var isRefused: Bool { signer == nil }

  /// The name that the robot itself uses.
  package var nameAtRobot: String { FleetName.nameAtRobot(name, of: robot) }

  /// The key of the version's film; nil if the recording is refused.
  package var filmKey: FilmKey? {
    guard let entityTag = item.entityTag, !isRefused else { return nil }
    return FilmKey(ofRecording: name, entityTag: entityTag, robot: robot)
  }

  /// The series to which the recording belongs: a camera's recordings, or a robot's refused recordings.
  var series: String { isRefused ? "\(robot)/" : item.camera ?? "" }

  var end: UnixTimestamp { item.end }

  package var facts: RecordingFacts { item.facts(ofRobot: robot) }
}

extension RecordingItem {
  /// Returns true if the recording begins so far ahead of the clock that its start or the clock must be wrong.
  func isInFuture(at now: UnixTimestamp) -> Bool {
    let length = end.milliseconds - startedAt.milliseconds
    return startedAt > now.advanced(byMilliseconds: length + LibraryLimits.futureMilliseconds)
  }
}

extension FleetRow {
  /// Creates the row for an object whose key is that of a robot's manifest. The object is verified with the robot's
  /// keys.
  ///
  /// If the robot has not signed the object's content, the row is a refused recording with the name in the key, and has
  /// the reason.
  package init(manifest bytes: [UInt8], of robot: FleetRobot, name: String, tag: String) {
    do throws(ManifestError) {
      let signed = try SignedManifest(bytes)
      let signer = try signed.verify(by: robot.pins)
      let manifest = signed.manifest
      guard ExactName(manifest.item.name) == ExactName(name), manifest.tag.text == tag else {
        throw .badMember("item", reason: "does not match its place in the store")
      }
      var item = manifest.item.of(robot: robot.name)
      item.place = .store
      self.init(
        robot: robot.name, tag: tag, item: item, modifiedNanoseconds: manifest.modifiedNanoseconds,
        digest: SHA256.hash(bytes), signer: signer)
    } catch {
      self.init(refusing: name, tag: tag, of: robot, because: "\(Self.robotDidNotSign): \(error)")
    }
  }

  /// - Parameter reason: a sentence without its period.
  package init(refusing name: String, tag: String, of robot: FleetRobot, because reason: String) {
    // Two servers have to create the same row, so nothing of this one's clock or time zone may enter it.
    let start = RecordingNaming().moment(of: name) ?? UnixTimestamp(milliseconds: 0)
    let item = RecordingItem(
      name: FleetName.recording(name, of: robot.name), camera: nil, state: .refused(reason), isRecovered: false,
      size: 0, entityTag: nil, startedAt: start, startedFrom: nil, isInFuture: false, duration: nil,
      video: nil, audio: nil, place: .store)
    self.init(robot: robot.name, tag: tag, item: item, modifiedNanoseconds: 0, digest: [], signer: nil)
  }

  private static let robotDidNotSign = "The store has a manifest for it that its robot did not sign"
}
