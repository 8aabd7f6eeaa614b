internal import AVFoundation
internal import Dispatch
internal import FootageCore
internal import Foundation
internal import Synchronization

/// A request by AVFoundation, in the form that a playback serves.
///
/// It is Sendable because AVFoundation's objects and `isOver` are used only on the queue. AVFoundation passes requests
/// and cancels them on that queue, and every other call switches to it first.
final class LoaderRequest: LoadingRequest, ContentInformationSink, LoadingDataSink, @unchecked Sendable {
  let range: Range<UInt64>
  private let request: AVAssetResourceLoadingRequest
  private let wantsInformation: Bool
  private let wantsData: Bool
  /// True if all bytes of the recording are in the cache, so that none has to be fetched.
  private let isAllHere: Bool
  private let queue: DispatchQueue
  private let progress: LoaderProgress
  /// True if the request is finished, or was canceled by its player. Nothing may be delivered to it after that.
  private var isOver = false
  /// The number of bytes delivered to the request.
  private let given = Atomic<UInt64>(0)

  /// The interval at which a paused request checks whether it may receive more bytes.
  private static let pause = Duration.milliseconds(250)

  /// Creates the request. It has to be called on the queue.
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

  /// Records that the player has canceled the request. It has to be called on the queue.
  func cancel() { isOver = true }

  // MARK: LoadingRequest

  var contentInformation: (any ContentInformationSink)? { wantsInformation ? self : nil }
  var data: (any LoadingDataSink)? { wantsData ? self : nil }
  var outlastsFailure: Bool { progress.hasBegun.load(ordering: .relaxed) }

  func receive(_ information: ContentInformation) {
    whileOpen { [isAllHere] request in
      guard let answer = request.contentInformationRequest else { return }
      let type = information.uniformTypeIdentifier
      // AVFoundation throws an exception for a type that its list lacks. An answer without a type is allowed.
      let allowed = answer.allowedContentTypes ?? []
      answer.contentType = allowed.isEmpty || allowed.contains(type) ? type : nil
      answer.contentLength = Int64(clamping: information.contentLength)
      answer.isByteRangeAccessSupported = information.isByteRangeAccessSupported
      answer.isEntireLengthAvailableOnDemand = isAllHere
    }
  }

  /// Delivers bytes to the request. AVFoundation does not report when it has enough; it cancels the request later. The
  /// request therefore receives the bytes that it needs soon at once, and the rest slowly.
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

  /// Runs `body` on the queue, unless the request is finished or canceled.
  ///
  /// - Parameter isEnd: true if nothing may be delivered to the request after this call.
  private func whileOpen(
    isEnd: Bool = false, then done: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable (AVAssetResourceLoadingRequest) -> Void
  ) {
    queue.async {
      // The request may know that it was cancelled before this object does.
      if !self.isOver, !self.request.isCancelled {
        if isEnd { self.isOver = true }
        body(self.request)
      }
      done()
    }
  }
}
