package import FootageBase

/// The plan for a wanted range, made before anything is done: the parts to read from the cache, and the parts to fetch.
package struct FetchPlan: Hashable, Sendable {
  /// The rule for which ranges are worth a request of their own.
  package struct Policy: Hashable, Sendable {
    /// The size below which a cached piece between two holes is fetched again, in bytes. Its bytes cost less than a
    /// second request.
    package var sliver: UInt64

    package init(sliver: UInt64 = 20_000) { self.sliver = sliver }
  }

  package enum Segment: Hashable, Sendable {
    /// A cached range.
    case local(Range<UInt64>)
    /// A range to fetch with one request.
    case remote(Range<UInt64>)
  }

  /// The parts of the wanted range, in order and without gaps. No two parts of the same kind touch, and none is empty.
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

  /// The ranges to fetch, in order, with one request for each.
  package var requests: [Range<UInt64>] {
    segments.compactMap { segment in
      if case .remote(let range) = segment { range } else { nil }
    }
  }
}
