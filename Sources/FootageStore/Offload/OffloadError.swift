internal import FootageAPI

/// The reason why a version could not be brought into the store, or back from it.
package enum OffloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The store refused, or did not answer.
  case store(ObjectStoreError)
  /// The record of what is in the store cannot be read or written.
  case record(String)
  /// The recorder's file cannot be read.
  case file(String)
  /// The file is a different one from the one that was listed, or is gone. What was sent of it is of no more use.
  case changed(name: String)
  /// The content cannot be proved: no manifest can be made, or what the store has is not ours.
  case unproved(name: String, reason: String)
  /// The store does not have what it had of this version, or has something else.
  case lost(name: String, StoreLoss)
  /// The request cannot be carried out, for this reason.
  case refused(String)

  /// The trouble to be reported for it; nil if it concerns only one recording.
  var trouble: HealthReport.Reason? {
    switch self {
    case .store(let error): error.trouble.map { HealthReport.Reason($0.healthCode, error.description) }
    case .record(let words): HealthReport.Reason(.offloadRecord, words)
    case .file, .changed, .unproved, .lost, .refused: nil
    }
  }

  package var description: String {
    switch self {
    case .store(let error): error.description
    case .record(let reason): reason
    case .file(let reason): reason
    case .changed(let name): "\(name) was changed or removed while it was sent: what came of it is deleted in the store"
    case .unproved(let name, let reason): "\(name) cannot be stored: \(reason)"
    case .lost(let name, let loss): "\(name): \(loss)"
    case .refused(let reason): reason
    }
  }
}

/// The loss of a part of a version that the store had in full.
package enum StoreLoss: Hashable, Sendable, CustomStringConvertible {
  /// An object is not there any more.
  case gone(key: String)
  /// An object has another length than was sent, in bytes.
  case length(key: String, UInt64, expected: UInt64)
  /// The file has other bytes than were signed.
  case bytes(key: String)

  /// True if only the object's bytes can disprove the loss, not what the store reports about the object.
  var concernsBytes: Bool {
    switch self {
    case .gone, .length: false
    case .bytes: true
    }
  }

  package var description: String {
    switch self {
    case .gone(let key): "the store has lost \(key)"
    case .length(let key, let length, let expected): "\(key) has \(length) bytes in the store, and had \(expected)"
    case .bytes(let key): "the store has other bytes than were signed, in \(key)"
    }
  }
}

/// Runs a request to the store, and converts its error.
func ofStore<Answer>(
  _ question: () async throws(ObjectStoreError) -> Answer
) async throws(OffloadError) -> Answer {
  do throws(ObjectStoreError) { return try await question() } catch { throw .store(error) }
}
