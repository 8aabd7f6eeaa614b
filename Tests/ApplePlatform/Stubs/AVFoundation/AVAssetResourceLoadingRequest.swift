/// One request for a part of a resource. It keeps what it was given, and what its delegate may not do.
///
/// Apple's is not Sendable, and so this is not for whoever imports it; it has a lock for the tests that look at it from
/// elsewhere.
public final class AVAssetResourceLoadingRequest: NSObject {
  private let log: LoadingLog
  public let contentInformationRequest: AVAssetResourceLoadingContentInformationRequest?
  public let dataRequest: AVAssetResourceLoadingDataRequest?

  init(offset: Int64, length: Int?, wantsInformation: Bool, allowedContentTypes: [String]?, queue: DispatchQueue?) {
    log = LoadingLog(on: queue)
    contentInformationRequest =
      wantsInformation
      ? AVAssetResourceLoadingContentInformationRequest(log, allowedContentTypes: allowedContentTypes) : nil
    dataRequest = AVAssetResourceLoadingDataRequest(log, offset: offset, length: length)
  }

  public var isFinished: Bool { log.read { $0.ending != nil } }
  public var isCancelled: Bool { log.read { $0.isCancelled } }

  public func finishLoading() {
    log.write("finished") { state in
      if state.isCancelled { state.faults.append("finished after it was cancelled") }
      if state.ending != nil { state.faults.append("finished twice") }
      if let information = contentInformationRequest {
        let allowed = information.allowedContentTypes ?? []
        if let type = state.contentType, !allowed.isEmpty, !allowed.contains(type) {
          // Apple's throws an exception, which ends the app.
          state.faults.append("finished with the content type \(type), which is not among \(allowed)")
        }
        if state.contentLength == nil || allowed.isEmpty && state.contentType == nil {
          state.faults.append("finished without its content information")
        }
      }
      if let wanted = dataRequest?.wantedCount(of: state.contentLength), state.data.count < wanted {
        state.faults.append("finished with \(state.data.count) of \(wanted) bytes")
      }
      state.ending = .some(nil)
    }
  }

  public func finishLoading(with error: (any Error)?) {
    log.write("failed") { state in
      if state.isCancelled { state.faults.append("failed after it was cancelled") }
      if state.ending != nil { state.faults.append("finished twice") }
      if !state.data.isEmpty { state.faults.append("failed after \(state.data.count) bytes") }
      state.ending = .some(error)
    }
  }

  // MARK: What it has got

  /// A copy, whatever thread asks.
  package var outcome: LoadingOutcome { LoadingOutcome(log) }

  func note(_ fault: String) { log.fault(fault) }

  /// - Returns: false where it is over already.
  func cancel() -> Bool {
    log.change { state in
      guard !state.isCancelled, state.ending == nil else { return false }
      state.isCancelled = true
      return true
    }
  }
}

public final class AVAssetResourceLoadingContentInformationRequest: NSObject {
  private let log: LoadingLog
  /// The uniform type identifiers that `contentType` may be; nil or empty where any will do.
  public let allowedContentTypes: [String]?

  init(_ log: LoadingLog, allowedContentTypes: [String]?) {
    self.log = log
    self.allowedContentTypes = allowedContentTypes
  }

  /// A uniform type identifier.
  public var contentType: String? {
    get { log.read { $0.contentType } }
    set { set { $0.contentType = newValue } }
  }

  public var contentLength: Int64 {
    get { log.read { $0.contentLength ?? 0 } }
    set { set { $0.contentLength = newValue } }
  }

  public var isByteRangeAccessSupported: Bool {
    get { log.read { $0.isByteRangeAccessSupported } }
    set { set { $0.isByteRangeAccessSupported = newValue } }
  }

  public var isEntireLengthAvailableOnDemand: Bool {
    get { log.read { $0.isEntireLengthAvailableOnDemand } }
    set { set { $0.isEntireLengthAvailableOnDemand = newValue } }
  }

  private func set(_ change: (inout LoadingLog.State) -> Void) {
    log.write("given content information") { state in
      if !state.data.isEmpty { state.faults.append("content information after data") }
      if state.ending != nil { state.faults.append("content information after its end") }
      change(&state)
    }
  }
}

public final class AVAssetResourceLoadingDataRequest: NSObject {
  private let log: LoadingLog
  public let requestedOffset: Int64
  public let requestedLength: Int
  public let requestsAllDataToEndOfResource: Bool

  init(_ log: LoadingLog, offset: Int64, length: Int?) {
    self.log = log
    requestedOffset = offset
    // To be disregarded where all is asked for, and so it says nothing then.
    requestedLength = length ?? 2
    requestsAllDataToEndOfResource = length == nil
  }

  public var currentOffset: Int64 { log.read { requestedOffset + Int64($0.data.count) } }

  public func respond(with data: Data) {
    log.write("given data") { state in
      if state.isCancelled { state.faults.append("data after it was cancelled") }
      if state.ending != nil { state.faults.append("data after its end") }
      if data.isEmpty { state.faults.append("no data") }
      state.data += data
      if !requestsAllDataToEndOfResource, state.data.count > requestedLength {
        state.faults.append("\(state.data.count) bytes where \(requestedLength) were asked for")
      }
    }
  }

  /// How much it is to get of a resource; nil where it was not told how long that is.
  func wantedCount(of length: Int64?) -> Int? {
    let rest = length.map { Int(max(0, $0 - requestedOffset)) }
    guard !requestsAllDataToEndOfResource else { return rest }
    return rest.map { min($0, requestedLength) } ?? requestedLength
  }
}
