/// All sizes and counts that a store can influence, apart from those of HTTP.
package struct ObjectStoreLimits: Sendable {
  /// The size of an answer in XML, in bytes: a page of a thousand keys of 1024 bytes, all of them escaped.
  package var documentBytes = 8 << 20
  /// The size of the body of an error, in bytes.
  package var errorBytes = 64 * 1024
  /// The number of entries in a page of any listing. A page with more is refused.
  package var pageEntries = 1_000
  /// The number of pages that one listing may take. It ends a listing that a store would continue forever.
  package var pages = 100
  /// The length of an upload's ID, in bytes.
  package var uploadIDBytes = 1_024
  /// The distance between the clocks, in seconds, above which a refusal without a code counts as one about the time.
  /// Amazon S3 tolerates this difference.
  package var clockSkewSeconds: Int64 = 900
  /// The size in bytes from which a body is held back until the store asks for it. A refused body then need not be
  /// sent.
  package var continueBytes: UInt64 = 1 << 20

  package init() {}
}
