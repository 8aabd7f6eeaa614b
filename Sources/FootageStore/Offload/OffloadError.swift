internal import FootageAPI

/// The reason why a version could not be copied to the store, or restored from it.
package enum OffloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The store refused, or did not answer.
  case store(ObjectStoreError)
  /// The record of what is in the store cannot be read or written.
  case record(String)
  /// The recorder's file cannot be read.
  case file(String)
  /// The file has changed since it was listed, or no longer exists. The parts that were sent are useless.
  case changed(name: String)
  /// The content cannot be proved, because no manifest can be made, or the store's objects are not from this robot.
  case unproved(name: String, reason: String)
  /// The store has lost objects of this version, or has different ones.
  case lost(name: String, StoreLoss)
  /// The request cannot be carried out, for this reason.
  case refused(String)

  /// The trouble to report for the error; nil if the error concerns only one recording.
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
    case .changed(let name):
      "\(name) was changed or removed while it was being sent: the part that was sent is deleted from the store"
    case .unproved(let name, let reason): "\(name) cannot be stored: \(reason)"
    case .lost(let name, let loss): "\(name): \(loss)"
    case .refused(let reason): reason
    }
  }
}

/// The loss of a part of a version that the store had completely.
package enum StoreLoss: Hashable, Sendable, CustomStringConvertible {
  /// An object no longer exists.
  case gone(key: String)
  /// The length of an object differs from what was sent; both are in bytes.
  case length(key: String, UInt64, expected: UInt64)
  /// The bytes of the file differ from what was signed.
  case bytes(key: String)

  /// True if the loss can be disproved only by reading the object's bytes, and not by the length and version that the
  /// store reports.
  var concernsBytes: Bool {
    switch self {
    case .gone, .length: false
    case .bytes: true
    }
  }

  package var description: String {
    switch self {
    case .gone(let key): "the store has lost \(key)"
    case .length(let key, let length, let expected): "\(key) has \(length) bytes in the store, but had \(expected)"
    case .bytes(let key): "the store's bytes of \(key) are not those that were signed"
    }
  }
}

/// Runs a request to the store, and converts its error.
func ofStore<Answer>(
  _ question: () async throws(ObjectStoreError) -> Answer
) async throws(OffloadError) -> Answer {
  do throws(ObjectStoreError) { return try await question() } catch { throw .store(error) }
}
