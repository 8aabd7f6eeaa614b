/// Every size and count that a store can influence, beside those of HTTP.
package struct ObjectStoreLimits: Sendable {
  /// Of an answer in XML, in bytes: a page of a thousand keys of 1024 bytes, each of them escaped.
  package var documentBytes = 8 << 20
  /// Of what comes with an error, in bytes.
  package var errorBytes = 64 * 1024
  /// Entries of a page of any listing; what has more is refused.
  package var pageEntries = 1_000
  /// Pages that one question may take: whoever has more goes on for ever.
  package var pages = 100
  /// Of an upload's ID, in bytes.
  package var uploadIDBytes = 1_024
  /// How far the clocks may be apart before a refusal without words is taken for one about time, in seconds: what
  /// Amazon S3 allows.
  package var clockSkewSeconds: Int64 = 900
  /// From how many bytes on a body is kept back until the store asks for it, which spares a refused one.
  package var continueBytes: UInt64 = 1 << 20

  package init() {}
}
