/// The data that a request was given, and the forbidden actions of its delegate.
final class LoadingLog: @unchecked Sendable {
  struct State {
    var contentType: String?
    var contentLength: Int64?
    var isByteRangeAccessSupported = false
    var isEntireLengthAvailableOnDemand = false
    var data = Data()
    var isCancelled = false
    /// How it was finished; nil while it is not.
    var ending: (any Error)??
    var faults: [String] = []
  }

  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue: DispatchQueue?
  private let lock = NSLock()
  private var state = State()

  init(on queue: DispatchQueue?) {
    self.queue = queue
    if let queue { queue.setSpecific(key: Self.key, value: ObjectIdentifier(queue)) }
  }

  func read<Value>(_ body: (State) -> Value) -> Value { lock.withLock { body(state) } }
  func change<Value>(_ body: (inout State) -> Value) -> Value { lock.withLock { body(&state) } }
  func fault(_ fault: String) { change { $0.faults.append(fault) } }

  /// A delegate's call, which has to come from its queue.
  func write(_ what: String, _ body: (inout State) -> Void) {
    let isOnQueue = queue.map { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier($0) } ?? false
    change { state in
      if !isOnQueue { state.faults.append("\(what) off the delegate's queue") }
      body(&state)
    }
  }
}

/// The data that a request had received at a certain moment.
package struct LoadingOutcome: Sendable {
  package let contentType: String?
  package let contentLength: Int64?
  package let isByteRangeAccessSupported: Bool
  package let isEntireLengthAvailableOnDemand: Bool
  package let bytes: [UInt8]
  package let isFinished: Bool
  package let error: (any Error)?
  /// The forbidden actions of its delegate.
  package let faults: [String]

  init(_ log: LoadingLog) {
    let state = log.read { $0 }
    contentType = state.contentType
    contentLength = state.contentLength
    isByteRangeAccessSupported = state.isByteRangeAccessSupported
    isEntireLengthAvailableOnDemand = state.isEntireLengthAvailableOnDemand
    bytes = Array(state.data)
    isFinished = state.ending != nil
    error = state.ending ?? nil
    faults = state.faults
  }
}
