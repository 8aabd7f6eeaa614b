/// One request of a player. An `AVAssetResourceLoadingRequest` can be adapted to it with a few lines: its
/// content-information request and its data request are the two sinks.
public protocol LoadingRequest: Sendable {
  /// The sink for the content information; nil if the player has that already.
  var contentInformation: (any ContentInformationSink)? { get }
  /// The sink for the bytes; nil if the player wants none.
  var data: (any LoadingDataSink)? { get }

  /// True if the request stays open when missing bytes cannot be fetched, until its player cancels it. The playback's
  /// state then has the cause, and a temporary failure is retried every few seconds. The value is read at each such
  /// failure. `AVPlayer` cannot continue after a request that fails after its first bytes: it loads forever, or ends as
  /// if the recording had ended. A request that begins after the recording's end stays open, too.
  var outlastsFailure: Bool { get }

  /// Ends the request after all requested bytes have been delivered. Nothing is delivered after it.
  func finishLoading()
  /// Ends the request because the missing bytes cannot be fetched.
  func finishLoading(with error: MediaCacheError)
}

extension LoadingRequest {
  /// False by default, so that the request ends with an error.
  public var outlastsFailure: Bool { false }
}

/// A receiver for the facts about a recording, before its bytes.
public protocol ContentInformationSink: Sendable {
  /// Receives the facts, once, before the first byte is delivered.
  func receive(_ information: ContentInformation)
}

/// The facts that a player has to know about a recording before its first byte.
public struct ContentInformation: Hashable, Sendable {
  /// The media type (RFC 6838): `video/mp4`.
  public var mediaType: String
  /// The type as a uniform type identifier, for Apple's players: `public.mpeg-4`.
  public var uniformTypeIdentifier: String
  /// The length of the recording in bytes.
  public var contentLength: UInt64
  /// True if any range can be requested, at any time.
  public var isByteRangeAccessSupported: Bool

  /// - Parameters:
  ///   - mediaType: the media type (RFC 6838): `video/mp4`.
  ///   - uniformTypeIdentifier: the type as a uniform type identifier, for Apple's players: `public.mpeg-4`.
  ///   - contentLength: in bytes.
  ///   - isByteRangeAccessSupported: true if any range can be requested.
  public init(
    mediaType: String, uniformTypeIdentifier: String, contentLength: UInt64, isByteRangeAccessSupported: Bool = true
  ) {
    self.mediaType = mediaType
    self.uniformTypeIdentifier = uniformTypeIdentifier
    self.contentLength = contentLength
    self.isByteRangeAccessSupported = isByteRangeAccessSupported
  }
}

/// A receiver for bytes, in order and without gaps, from the start of its range on.
public protocol LoadingDataSink: Sendable {
  /// The half-open range in bytes of the recording. It is limited to the recording's length. The end is `UInt64.max` if
  /// the player takes everything.
  var range: Range<UInt64> { get }

  /// Receives at least one byte, and a few hundred kB at most. It returns when the player can accept more, and is not
  /// called again before.
  func receive(_ bytes: [UInt8]) async
}

extension Playback {
  /// The facts that a player has to know before the first byte.
  public var contentInformation: ContentInformation {
    ContentInformation(
      mediaType: "video/mp4", uniformTypeIdentifier: "public.mpeg-4", contentLength: version.length,
      isByteRangeAccessSupported: true)
  }

  /// Answers a player's request from the cache and the robot together, as the proxy does. It returns when the request
  /// is finished.
  ///
  /// Cancel the task when the player cancels its request. Then neither of the `finishLoading` methods is called.
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
