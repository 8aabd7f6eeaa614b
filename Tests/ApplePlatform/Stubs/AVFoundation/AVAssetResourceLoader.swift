public import Dispatch

/// Hands requests to a delegate, which it does not hold, on the delegate's queue.
public final class AVAssetResourceLoader: NSObject, @unchecked Sendable {
  private struct State {
    weak var delegate: (any AVAssetResourceLoaderDelegate)?
    var queue: DispatchQueue?
  }

  private let lock = NSLock()
  private var state = State()

  public func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue delegateQueue: DispatchQueue?) {
    lock.withLock { state = State(delegate: delegate, queue: delegateQueue) }
  }

  public var delegate: (any AVAssetResourceLoaderDelegate)? { lock.withLock { state.delegate } }
  public var delegateQueue: DispatchQueue? { lock.withLock { state.queue } }

  // MARK: What AVFoundation does by itself

  /// Asks as a player does; the request is handed over some time later.
  ///
  /// - Parameters:
  ///   - offset: of the first byte.
  ///   - length: in bytes; nil for all to the end of the resource.
  ///   - wantsInformation: whether it wants to know what the resource is as well.
  ///   - allowedContentTypes: the uniform type identifiers that it takes; nil for any.
  package func ask(
    from offset: Int64, length: Int?, wantsInformation: Bool = false, allowedContentTypes: [String]? = nil
  ) -> AVAssetResourceLoadingRequest {
    let request = AVAssetResourceLoadingRequest(
      offset: offset, length: length, wantsInformation: wantsInformation, allowedContentTypes: allowedContentTypes,
      queue: delegateQueue)
    guard let queue = delegateQueue else {
      request.note("there is no delegate")
      return request
    }
    // It is the queue's from here on, but for what has a lock.
    nonisolated(unsafe) let handed = request
    queue.async { [weak self] in
      guard let self, let delegate else { return handed.note("the delegate is gone") }
      if !delegate.resourceLoader(self, shouldWaitForLoadingOfRequestedResource: handed) {
        handed.note("it was not taken")
      }
    }
    return request
  }

  /// Ends a request, as a player does that has enough, or goes on elsewhere.
  package func cancel(_ request: AVAssetResourceLoadingRequest) {
    nonisolated(unsafe) let handed = request
    delegateQueue?.async { [weak self] in
      guard let self, handed.cancel() else { return }
      delegate?.resourceLoader(self, didCancel: handed)
    }
  }
}
