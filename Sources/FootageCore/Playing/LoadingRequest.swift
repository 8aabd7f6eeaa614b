/// One request of a player. `AVAssetResourceLoadingRequest` becomes one with a few lines: its content-information
/// request and its data request are the two sinks.
public protocol LoadingRequest: Sendable {
  /// Nil where the player knows already.
  var contentInformation: (any ContentInformationSink)? { get }
  /// Nil where the player wants no bytes.
  var data: (any LoadingDataSink)? { get }

  /// Whether it stays open where what is missing does not come, until its player cancels it: the cause is in the
  /// playback's state, and what can pass is tried again every few seconds. Asked when that happens. `AVPlayer` makes
  /// nothing good of a request that fails after some bytes: it loads for ever, or ends as if the recording did. The
  /// same goes for bytes behind the recording's end.
  var outlastsFailure: Bool { get }

  /// All that was asked for has been given; nothing is given after it.
  func finishLoading()
  /// What is missing will not come.
  func finishLoading(with error: MediaCacheError)
}

extension LoadingRequest {
  /// It does not.
  public var outlastsFailure: Bool { false }
}

/// Learns what the recording is, before its bytes.
public protocol ContentInformationSink: Sendable {
  /// Called once, before the first byte is given.
  func receive(_ information: ContentInformation)
}

/// What a player has to know of a recording before its first byte.
public struct ContentInformation: Hashable, Sendable {
  /// RFC 6838: `video/mp4`.
  public var mediaType: String
  /// As Apple's players want it: `public.mpeg-4`.
  public var uniformTypeIdentifier: String
  /// In bytes.
  public var contentLength: UInt64
  /// Any range can be asked for, at any time.
  public var isByteRangeAccessSupported: Bool

  /// - Parameters:
  ///   - mediaType: RFC 6838: `video/mp4`.
  ///   - uniformTypeIdentifier: as Apple's players want it: `public.mpeg-4`.
  ///   - contentLength: in bytes.
  ///   - isByteRangeAccessSupported: whether any range can be asked for.
  public init(
    mediaType: String, uniformTypeIdentifier: String, contentLength: UInt64, isByteRangeAccessSupported: Bool = true
  ) {
    self.mediaType = mediaType
    self.uniformTypeIdentifier = uniformTypeIdentifier
    self.contentLength = contentLength
    self.isByteRangeAccessSupported = isByteRangeAccessSupported
  }
}

/// Takes bytes, in order and without gaps, from the start of its range on.
public protocol LoadingDataSink: Sendable {
  /// Half-open, in bytes of the recording; an end behind the recording's is the recording's. `UInt64.max` is the end of
  /// a player that takes all there is.
  var range: Range<UInt64> { get }

  /// At least one byte and some hundred kB at most. Returns when the player can take more: it is not called again
  /// before.
  func receive(_ bytes: [UInt8]) async
}

extension Playback {
  /// What a player has to know before the first byte.
  public var contentInformation: ContentInformation {
    ContentInformation(
      mediaType: "video/mp4", uniformTypeIdentifier: "public.mpeg-4", contentLength: version.length,
      isByteRangeAccessSupported: true)
  }

  /// Answers a player's request, out of the cache and the robot together, as the proxy does. Returns when it is
  /// finished.
  ///
  /// Cancel the task when the player cancels its request: then neither `finishLoading` is called.
  public func serve(_ request: some LoadingRequest) async {
    request.contentInformation?.receive(contentInformation)
    do throws(MediaCacheError) {
      if let sink = request.data { try await deliver(to: sink, of: request) }
      if !Task.isCancelled { request.finishLoading() }
    } catch {
      if error != .cancelled { request.finishLoading(with: error) }
    }
  }

  private func deliver(
    to sink: any LoadingDataSink, of request: some LoadingRequest
  ) async throws(MediaCacheError) {
    let asked = sink.range
    guard asked.lowerBound <= version.length else {
      guard request.outlastsFailure else { throw .outside(key, asked, length: version.length) }
      // There will never be anything to give.
      while !Task.isCancelled { await pauseAfterFailure() }
      throw .cancelled
    }
    let range = asked.clamped(to: 0..<version.length)
    guard !range.isEmpty else { return }
    let reader = try reader(of: range)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let bytes: [UInt8]
      do throws(MediaCacheError) { bytes = try await reader.read(at: offset, count: 256 << 10) } catch {
        guard error != .cancelled, request.outlastsFailure else { throw error }
        await pauseAfterFailure()
        continue
      }
      offset += UInt64(bytes.count)
      await sink.receive(bytes)
      guard !Task.isCancelled else { throw .cancelled }
    }
  }
}
