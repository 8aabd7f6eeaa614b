package import FootageBase

/// The reason why a recording was not protected, or not released.
package enum ProtectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no recording with that name.
  case unknown(name: String)
  /// Nothing was recorded in the requested time range.
  case nothingThere(camera: String?, from: UnixTimestamp, to: UnixTimestamp)
  /// The file cannot be marked. It could only be listed by its content, which is not final until its recorder has
  /// closed it.
  case stillRecorded(name: String)
  /// The file differs from the one in the list; it is being examined again.
  case changed(name: String)
  /// None of the three places is writable: the file, the recordings folder and the state folder. The reason of each is
  /// given.
  case refusedEverywhere(name: String, reasons: [String])
  /// The recording stays protected, because the place of its protection is not writable.
  case notReleased(name: String, reason: String)
  /// The file cannot be read.
  case unreadable(name: String, reason: String)
  /// The viewer would protect more than its share. The size protected already and the limit are given, in bytes.
  case overShare(name: String, kept: UInt64, limit: UInt64)
  /// The recording is only in the store, so there is no file on this machine that could be marked.
  case inStoreAlone(name: String)
  /// Some of several recordings were changed, and others were not.
  indirect case incomplete(done: [String], first: ProtectionError)

  package var description: String {
    switch self {
    case .unknown(let name): "there is no recording \(name): footage list shows the recordings"
    case .nothingThere(let camera, let from, let to):
      "there is no recording \(camera.map { "of camera \($0)" } ?? "without a camera") between \(from.rfc3339) and "
        + "\(to.rfc3339)"
    case .stillRecorded(let name):
      "recording \(name) cannot be protected before its recorder has closed it: try again then"
    case .changed(let name): "the file of recording \(name) was changed: try again in a second"
    case .refusedEverywhere(let name, let reasons):
      "recording \(name) cannot be protected: \(reasons.joined(separator: "; ")); give this user the right to write to "
        + "the file, to the recordings folder, or to the state folder (--state-dir)"
    case .notReleased(let name, let reason): "recording \(name) stays protected: \(reason)"
    case .unreadable(let name, let reason): "recording \(name) cannot be read: \(reason)"
    case .overShare(let name, let kept, let limit):
      "recording \(name) cannot be protected: this viewer protects \(LibraryEvent.words(bytes: kept)), and may protect "
        + "at most \(LibraryEvent.words(bytes: limit)) (--keep-share): release something else first"
    case .inStoreAlone(let name):
      "recording \(name) is only in the store: footage offload release ends its protection, and footage offload "
        + "restore brings it back"
    case .incomplete(let done, let first): "\(first) (\(done.count) others succeeded)"
    }
  }
}

/// The place where a protection is stored.
package enum ProtectionPlace: Hashable, Sendable, CustomStringConvertible {
  /// An attribute of the recorder's file, which moves with the file.
  case file
  /// A line in `.footage-kept` in the recordings folder, which moves with the disk.
  case folder
  /// A line in the state folder.
  case state

  package var description: String {
    switch self {
    case .file: "file"
    case .folder: "folder"
    case .state: "state"
    }
  }
}

/// A protection, as shown by `footage kept`.
package struct KeptRecording: Sendable {
  /// The recording; nil if the protection is a line about a file that does not exist now.
  package let recording: Recording?
  /// The present name of the recording if there is one, otherwise the name in the line.
  package let name: String
  package let places: [ProtectionPlace]
}
