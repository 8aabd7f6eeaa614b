internal import FootageAPI

/// Why a version did not come into the store, or out of it.
package enum OffloadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the store answered, or that it did not.
  case store(ObjectStoreError)
  /// The record of what is in the store cannot be read or written.
  case record(String)
  /// The recorder's file cannot be read.
  case file(String)
  /// The file is another than the one that was listed, or gone: what was sent of it is of no more use.
  case changed(name: String)
  /// What is to be proved of it cannot be said: no manifest can be made, or what the store has is not ours.
  case unproved(name: String, reason: String)
  /// The store does not have what it had of this version, or has something else.
  case lost(name: String, StoreLoss)
  /// What was asked for cannot be done, for this reason.
  case refused(String)

  /// What others are told of it; nil where it is one recording's own affair.
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

/// What a store lacks of a version that was all there.
package enum StoreLoss: Hashable, Sendable, CustomStringConvertible {
  /// An object is not there any more.
  case gone(key: String)
  /// An object has another length than was sent, in bytes.
  case length(key: String, UInt64, expected: UInt64)
  /// The file has other bytes than were signed.
  case bytes(key: String)

  /// Whether what the store says of the object is no answer to it: only its bytes are.
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

/// Asks the store something.
func ofStore<Answer>(
  _ question: () async throws(ObjectStoreError) -> Answer
) async throws(OffloadError) -> Answer {
  do throws(ObjectStoreError) { return try await question() } catch { throw .store(error) }
}
