/// The answer to a GET or HEAD: status, fields and bytes, decided before a byte is read.

internal import FootageBase

/// The plan for a response. It depends only on the request, the metadata and the current second. A method that the
/// resource does not have has already been answered with 405.
package struct ResponsePlan: Sendable {
  /// The bytes that follow the head.
  package enum Content: Sendable {
    /// There is no body: the answer is to a HEAD, is a 304, or is of a representation without bytes.
    case none
    case whole
    /// The body is this range, which is never empty.
    case range(Range<UInt64>)
    case multipart(MultipartByteRanges)
    /// The status is 416. The caller supplies the body, if any, and `Content-Length`; `Content-Range` is in the head
    /// (RFC 9110 §15.5.17).
    case unsatisfiable(length: UInt64)
    /// The status is 412. The caller supplies the body, if any, and `Content-Length`.
    case preconditionFailed
  }

  /// The status: 200, 206, 304, 412 or 416.
  package let status: HTTPStatus
  /// The bytes that follow the head.
  package let content: Content
  /// The length of the body that the head states; for HEAD, the length that a GET would get. It is nil for 304, which
  /// states no length, and for 412 and 416, for which the caller states it.
  package let contentLength: UInt64?
  private let metadata: RepresentationMetadata
  private let now: Int64

  /// - Parameter now: the value of the response's `Date`, in Unix seconds.
  package init(for request: borrowing RequestHead, of metadata: RepresentationMetadata, now: Int64) {
    self.metadata = metadata
    self.now = now
    let (status, content) = Self.decide(request, metadata, now: now)
    self.status = status
    let isHead = request.method == .head
    switch content {
    case .whole:
      contentLength = metadata.length
      self.content = isHead || metadata.length == 0 ? .none : .whole
    case .range(let range):
      contentLength = range.upperBound - range.lowerBound
      self.content = content
    case .multipart(let body):
      contentLength = body.composition.length
      self.content = content
    case .none, .unsatisfiable, .preconditionFailed:
      contentLength = nil
      self.content = content
    }
  }

  /// Writes the status line and all fields that follow from the plan. The caller has begun the head, may add fields,
  /// and ends it.
  package func writeHead(into head: inout ResponseHeadWriter) {
    head.status(status)
    switch content {
    case .unsatisfiable(let length):
      head.contentRange(nil, length: length)
      return
    case .preconditionFailed:
      return
    case .multipart(let body):
      head.field("Content-Type", body.mediaType)
      head.lines(metadata.lines(from: .others, now: now))
    case .range(let range):
      head.fields(of: metadata, range, now: now)
      return
    case .none, .whole:
      head.lines(metadata.lines(from: status == .notModified ? .validators : .contentType, now: now))
    }
    if let contentLength { head.field("Content-Length", contentLength) }
  }

  private static func decide(
    _ request: borrowing RequestHead, _ metadata: borrowing RepresentationMetadata, now: Int64
  ) -> (HTTPStatus, Content) {
    switch Preconditions.evaluate(request, metadata, now: now) {
    case .failed: return (.preconditionFailed, .preconditionFailed)
    case .notModified: return (.notModified, .none)
    case .proceed(honoursRange: false): return (.ok, .whole)
    case .proceed(honoursRange: true): break
    }
    // Range is defined for GET only (RFC 9110 §14.2), and an empty representation has no ranges. Two Range fields are
    // invalid.
    guard request.method == .get, metadata.length > 0, let place = request.fields.place(ofOnly: .range),
      let ranges = ByteRangeSet(request.fields.bytes.borrowedSpan.extracting(place))
    else { return (.ok, .whole) }
    switch ranges.selection(length: metadata.length) {
    case .unsatisfiable: return (.rangeNotSatisfiable, .unsatisfiable(length: metadata.length))
    case .one(let range): return (.partialContent, .range(range))
    case .several(let ranges):
      guard let body = MultipartByteRanges(ranges, of: metadata) else { return (.ok, .whole) }
      return (.partialContent, .multipart(body))
    }
  }
}
