internal import AVFoundation
internal import Dispatch
internal import FootageCore
internal import Foundation
internal import Synchronization

/// One request of AVFoundation's, as a playback serves it.
///
/// Sendable because AVFoundation's objects, and `isOver` with them, are touched on the queue alone: that is where it
/// hands them out and takes them back, and each call from elsewhere goes there first.
final class LoaderRequest: LoadingRequest, ContentInformationSink, LoadingDataSink, @unchecked Sendable {
  let range: Range<UInt64>
  private let request: AVAssetResourceLoadingRequest
  private let wantsInformation: Bool
  private let wantsData: Bool
  /// Whether nothing has to be waited for.
  private let isAllHere: Bool
  private let queue: DispatchQueue
  private let progress: LoaderProgress
  /// Finished, or cancelled by its player: nothing more may be said to it.
  private var isOver = false
  /// In bytes.
  private let given = Atomic<UInt64>(0)

  /// How often a request that waits looks whether it may have more.
  private static let pause = Duration.milliseconds(250)

  /// To be called on the queue.
  init(
    _ request: AVAssetResourceLoadingRequest, on queue: DispatchQueue, _ progress: LoaderProgress, isAllHere: Bool
  ) {
    self.request = request
    self.isAllHere = isAllHere
    self.queue = queue
    self.progress = progress
    wantsInformation = request.contentInformationRequest != nil
    wantsData = request.dataRequest != nil
    range = request.dataRequest.map(Self.range) ?? 0..<0
  }

  private static func range(of request: AVAssetResourceLoadingDataRequest) -> Range<UInt64> {
    let start = UInt64(max(0, request.requestedOffset))
    guard !request.requestsAllDataToEndOfResource else { return start..<UInt64.max }
    let (end, overflow) = start.addingReportingOverflow(UInt64(max(0, request.requestedLength)))
    return start..<(overflow ? UInt64.max : end)
  }

  /// To be called on the queue.
  func cancel() { isOver = true }

  // MARK: As a playback sees it

  var contentInformation: (any ContentInformationSink)? { wantsInformation ? self : nil }
  var data: (any LoadingDataSink)? { wantsData ? self : nil }
  var outlastsFailure: Bool { progress.hasBegun.load(ordering: .relaxed) }

  func receive(_ information: ContentInformation) {
    whileOpen { [isAllHere] request in
      guard let answer = request.contentInformationRequest else { return }
      let type = information.uniformTypeIdentifier
      // AVFoundation throws an exception at a type that its list lacks. An answer without one is allowed.
      let allowed = answer.allowedContentTypes ?? []
      answer.contentType = allowed.isEmpty || allowed.contains(type) ? type : nil
      answer.contentLength = Int64(clamping: information.contentLength)
      answer.isByteRangeAccessSupported = information.isByteRangeAccessSupported
      answer.isEntireLengthAvailableOnDemand = isAllHere
    }
  }

  /// AVFoundation does not say when it has had enough: it cancels, sooner or later. So it is given no more than it needs
  /// for now, and the rest slowly.
  func receive(_ bytes: [UInt8]) async {
    await withCheckedContinuation { continuation in
      whileOpen(then: { continuation.resume() }) { [progress] request in
        progress.hasBegun.store(true, ordering: .relaxed)
        request.dataRequest?.respond(with: Data(bytes))
      }
    }
    let given = given.add(UInt64(bytes.count), ordering: .relaxed).newValue
    var waited = Duration.zero
    while !Task.isCancelled, waited < pause(after: bytes.count, given: given) {
      try? await Task.sleep(for: Self.pause)
      waited += Self.pause
    }
  }

  private func pause(after count: Int, given: UInt64) -> Duration {
    progress.window.withLock { $0.pause(given: given, at: range.lowerBound + given, count: count) }
  }

  func finishLoading() {
    whileOpen(isEnd: true) { $0.finishLoading() }
  }

  func finishLoading(with error: MediaCacheError) {
    whileOpen(isEnd: true) { $0.finishLoading(with: error) }
  }

  /// - Parameter isEnd: whether nothing may follow.
  private func whileOpen(
    isEnd: Bool = false, then done: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable (AVAssetResourceLoadingRequest) -> Void
  ) {
    queue.async {
      // A request that was cancelled may be told so before this object is.
      if !self.isOver, !self.request.isCancelled {
        if isEnd { self.isOver = true }
        body(self.request)
      }
      done()
    }
  }
}
