internal import FootageBase

/// The conditions of a request, in the only order that RFC 9110 §13.2.2 allows.

/// Evaluates the conditional fields of RFC 9110 §13.1.
package enum Preconditions {
  /// The result of the conditions.
  package enum Verdict: Hashable, Sendable {
    /// The request is carried out.
    ///
    /// - honoursRange: true if a `Range` field is to be applied, according to `If-Range`.
    case proceed(honoursRange: Bool)
    /// The answer is 304.
    case notModified
    /// The answer is 412.
    case failed
  }

  /// - Parameters:
  ///   - now: the value of the response's `Date`, in Unix seconds. A modification time after it is ignored.
  package static func evaluate(
    _ request: borrowing RequestHead, _ metadata: borrowing RepresentationMetadata, now: Int64
  ) -> Verdict {
    let fields = request.fields
    guard fields.hasConditions else { return .proceed(honoursRange: true) }
    let lastModified = metadata.lastModified.flatMap { $0 <= now ? $0 : nil }
    let reads = request.method == .get || request.method == .head

    // Steps 1 and 2.
    if let list = fields.combinedValue(of: .ifMatch) {
      guard metadata.entityTag.isListed(in: list.span, by: .strong) else { return .failed }
    } else if let lastModified, let date = date(.ifUnmodifiedSince, fields, now: now), lastModified > date {
      return .failed
    }
    // Steps 3 and 4.
    if let list = fields.combinedValue(of: .ifNoneMatch) {
      if metadata.entityTag.isListed(in: list.span, by: .weak) { return reads ? .notModified : .failed }
    } else if reads, let lastModified, let date = date(.ifModifiedSince, fields, now: now), lastModified <= date {
      return .notModified
    }
    // Step 5, RFC 9110 §13.1.5. A repeated field matches nothing.
    guard request.method == .get, fields.has(.ifRange), fields.has(.range) else { return .proceed(honoursRange: true) }
    guard let place = fields.place(ofOnly: .ifRange) else { return .proceed(honoursRange: false) }
    let validator = fields.bytes.borrowedSpan.extracting(place)
    if metadata.entityTag.isOnly(in: validator) { return .proceed(honoursRange: true) }
    // A representation may change again within the second that its date names. Only an older date is a strong validator
    // (RFC 9110 §8.8.2.2).
    guard let lastModified, lastModified < now, let date = HTTPDate.unixSeconds(validator, now: now) else {
      return .proceed(honoursRange: false)
    }
    return .proceed(honoursRange: date == lastModified)
  }

  /// Returns the date of a field. Invalid and repeated dates are ignored (RFC 9110 §13.1.3, §13.1.4).
  private static func date(_ name: FieldName, _ fields: borrowing FieldSection, now: Int64) -> Int64? {
    guard let place = fields.place(ofOnly: name) else { return nil }
    return HTTPDate.unixSeconds(fields.bytes.borrowedSpan.extracting(place), now: now)
  }
}
