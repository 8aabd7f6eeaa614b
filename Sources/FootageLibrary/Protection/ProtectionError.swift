package import FootageBase

/// Why a recording was not protected, or not released.
package enum ProtectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no recording of that name.
  case unknown(name: String)
  /// Nothing was recorded at that time.
  case nothingThere(camera: String?, from: UnixTimestamp, to: UnixTimestamp)
  /// Its file cannot carry a mark, and has no content to be known by before its recorder has closed it.
  case stillRecorded(name: String)
  /// The file is another than the one that is listed; it is being looked at again.
  case changed(name: String)
  /// Neither its file nor the recordings folder nor the state folder can be written; with what each of them said.
  case refusedEverywhere(name: String, reasons: [String])
  /// It stays protected, since what protects it cannot be written.
  case notReleased(name: String, reason: String)
  /// The file cannot be read.
  case unreadable(name: String, reason: String)
  /// The viewer would protect more than its share: what it protects already, and what it may, in bytes.
  case overShare(name: String, kept: UInt64, limit: UInt64)
  /// It is in the store alone, and no file here can carry a mark.
  case inStoreAlone(name: String)
  /// Of several recordings some were done and some were not.
  indirect case incomplete(done: [String], first: ProtectionError)

  package var description: String {
    switch self {
    case .unknown(let name): "there is no recording \(name): footage list shows what there is"
    case .nothingThere(let camera, let from, let to):
      "there is no recording of \(camera.map { "camera \($0)" } ?? "no camera") between \(from.rfc3339) and \(to.rfc3339)"
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
        + "\(LibraryEvent.words(bytes: limit)) (--keep-share): release something else before"
    case .inStoreAlone(let name):
      "recording \(name) is in the store alone: footage offload release ends its protection, and footage offload restore "
        + "brings it back"
    case .incomplete(let done, let first): "\(first) (\(done.count) others were done)"
    }
  }
}

/// Where a protection is written down.
package enum ProtectionPlace: Hashable, Sendable, CustomStringConvertible {
  /// In an attribute of the recorder's file: it goes wherever that goes.
  case file
  /// In a line of `.footage-kept` among the recordings: it goes with the disk.
  case folder
  /// In a line in the state folder.
  case state

  package var description: String {
    switch self {
    case .file: "file"
    case .folder: "folder"
    case .state: "state"
    }
  }
}

/// A protection, as `footage kept` shows it.
package struct KeptRecording: Sendable {
  /// Nil where a line is about something that is not here now.
  package let recording: Recording?
  /// Where it has one, its present name; else the one that its line says.
  package let name: String
  package let places: [ProtectionPlace]
}
