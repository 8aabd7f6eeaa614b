internal import FootageFetching
internal import Synchronization

/// A reader of an object's bytes as they arrive. It is for one task at a time. If fewer bytes arrive than were
/// announced, it throws an error. If it is dropped before the end, it closes its connection.
package final class ObjectReader: Sendable {
  /// The object that is read.
  package let object: StoredObject
  /// The range of its bytes that is read.
  package let range: Range<UInt64>
  private let response: HTTPClientResponse
  private let failure: @Sendable (ObjectStoreError.Reason) -> ObjectStoreError
  private let rest: Mutex<UInt64>

  init(
    _ response: HTTPClientResponse, range: Range<UInt64>, object: StoredObject,
    failure: @escaping @Sendable (ObjectStoreError.Reason) -> ObjectStoreError
  ) {
    self.response = response
    self.range = range
    self.object = object
    self.failure = failure
    rest = Mutex(range.upperBound - range.lowerBound)
  }

  /// Waits for the next bytes.
  ///
  /// - Returns: at least one byte and a few hundred kB at most, or nil once all have arrived.
  package func next() async throws(ObjectStoreError) -> [UInt8]? {
    let bytes: [UInt8]?
    do throws(HTTPClientError) { bytes = try await response.next() } catch { throw failure(.init(error)) }
    let isWithin = rest.withLock { rest in
      guard let bytes else { return rest == 0 }
      guard UInt64(bytes.count) <= rest else { return false }
      rest -= UInt64(bytes.count)
      return true
    }
    guard isWithin else {
      response.cancel()
      throw failure(.untrusted(.bytes("more or fewer arrived than announced")))
    }
    return bytes
  }

  /// Returns all remaining bytes, which the caller knows to be few enough for memory.
  package func all() async throws(ObjectStoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await next() { bytes += piece }
    return bytes
  }

  /// Cancels the rest of the response.
  package func cancel() { response.cancel() }
}
