package import FootageBase

/// What of a wanted range is read from the cache, and what is fetched: decided before anything is done.
package struct FetchPlan: Hashable, Sendable {
  /// What is worth a request of its own.
  package struct Policy: Hashable, Sendable {
    /// A cached piece between two holes that is shorter than this, in bytes, is fetched again: the bytes cost less than
    /// a second request.
    package var sliver: UInt64

    package init(sliver: UInt64 = 20_000) { self.sliver = sliver }
  }

  package enum Segment: Hashable, Sendable {
    /// Cached.
    case local(Range<UInt64>)
    /// To be fetched by one request.
    case remote(Range<UInt64>)
  }

  /// In order and without gaps, they are the wanted range; no two of a kind touch, and none is empty.
  package let segments: [Segment]

  package init(for wanted: Range<UInt64>, cached: RangeSet, policy: Policy = Policy()) {
    var requests: [Range<UInt64>] = []
    for gap in cached.gaps(in: wanted) {
      if let last = requests.last, gap.lowerBound - last.upperBound < policy.sliver {
        requests[requests.count - 1] = last.lowerBound..<gap.upperBound
      } else {
        requests.append(gap)
      }
    }
    var segments: [Segment] = []
    var position = wanted.lowerBound
    for request in requests {
      if position < request.lowerBound { segments.append(.local(position..<request.lowerBound)) }
      segments.append(.remote(request))
      position = request.upperBound
    }
    if position < wanted.upperBound { segments.append(.local(position..<wanted.upperBound)) }
    self.segments = segments
  }

  /// The ranges to fetch, a request each, in order.
  package var requests: [Range<UInt64>] {
    segments.compactMap { segment in
      if case .remote(let range) = segment { range } else { nil }
    }
  }
}
