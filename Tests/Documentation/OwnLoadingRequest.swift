/// The code of "Where your URLSession delegate went": a player's request; this one collects the bytes that it receives.

import FootageClient
import Synchronization

final class CollectingRequest: LoadingRequest, ContentInformationSink, LoadingDataSink {
  struct Result: Sendable {
    var information: ContentInformation?
    var bytes: [UInt8] = []
    var isFinished = false
    var error: MediaCacheError?
  }

  let range: Range<UInt64>
  private let collected = Mutex(Result())
  var result: Result { collected.withLock { $0 } }

  init(_ range: Range<UInt64>) { self.range = range }

  var contentInformation: (any ContentInformationSink)? { self }
  var data: (any LoadingDataSink)? { self }

  func receive(_ information: ContentInformation) { collected.withLock { $0.information = information } }

  /// Returns when more bytes may come. A slow receiver slows the fetch down, and nothing piles up.
  func receive(_ bytes: [UInt8]) async { collected.withLock { $0.bytes += bytes } }

  func finishLoading() { collected.withLock { $0.isFinished = true } }
  func finishLoading(with error: MediaCacheError) { collected.withLock { $0.error = error } }
}
