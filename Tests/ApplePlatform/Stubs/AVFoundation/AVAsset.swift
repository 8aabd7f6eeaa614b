/// Media that can be played. Apple marks it, and asks of its subclasses to be, Sendable.
open class AVAsset: NSObject, @unchecked Sendable {}

open class AVURLAsset: AVAsset, @unchecked Sendable {
  public let url: URL
  public let resourceLoader = AVAssetResourceLoader()

  public init(url URL: URL, options: [String: Any]? = nil) { url = URL }

  public convenience init(url: URL) { self.init(url: url, options: nil) }
}
