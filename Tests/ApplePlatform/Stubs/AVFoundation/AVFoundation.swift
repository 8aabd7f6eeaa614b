@_exported import Foundation
@_exported import Dispatch
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
open class AVAssetResourceLoadingContentInformationRequest: NSObject {
  open var contentType: String?; open var contentLength: Int64 = 0; open var isByteRangeAccessSupported = false
}
open class AVAssetResourceLoadingDataRequest: NSObject {
  open var requestedOffset: Int64 { 0 }; open var requestedLength: Int { 0 };
  open var requestsAllDataToEndOfResource: Bool { false }; open var currentOffset: Int64 { 0 };
  open func respond(with data: Data) {}
}
open class AVAssetResourceLoadingRequest: NSObject {
  open var request: URLRequest { fatalError() }; open var isFinished: Bool { false };
  open var isCancelled: Bool { false }
  open var contentInformationRequest: AVAssetResourceLoadingContentInformationRequest? { nil };
  open var dataRequest: AVAssetResourceLoadingDataRequest? { nil }
  open func finishLoading() {}; open func finishLoading(with error: (any Error)?) {}
}
public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
  ) -> Bool
  func resourceLoader(_ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest)
}
open class AVAssetResourceLoader: NSObject {
  open func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue delegateQueue: DispatchQueue?) {}
}
open class AVURLAsset: NSObject {
  public init(url: URL, options: [String: Any]? = nil) {};
  open var resourceLoader: AVAssetResourceLoader { AVAssetResourceLoader() }
}
