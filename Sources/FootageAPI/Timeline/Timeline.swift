package import FootageBase

/// The assignment of a camera's recordings to the moments that they show. A timeline, its films and its clips are all
/// cut by this one rule.
///
/// Recordings that follow one another within a second form one span. If the later recording begins at most a second
/// before the earlier one ends, both stay whole. If it begins earlier than that, each moment belongs to the recording
/// that began last, and an older recording continues when a later one ends before the older one does.
///
/// The code is inlinable, because a day has thousands of recordings, and generic code in another module looks up its
/// types for each of them.
package struct Timeline<Recording> {
  /// A recording and the time that it covers.
  package struct Entry {
    package let recording: Recording
    package let from: UnixTimestamp
    /// The end of the time, which is not included. It is never before `from`.
    package let to: UnixTimestamp

    @inlinable
    package init(_ recording: Recording, from: UnixTimestamp, to: UnixTimestamp) {
      self.recording = recording
      self.from = from
      self.to = max(from, to)
    }

    /// The length, clamped.
    package var milliseconds: Int64 {
      let (difference, overflows) = to.milliseconds.subtractingReportingOverflow(from.milliseconds)
      return overflows ? .max : difference
    }
  }

  /// The part of a recording that a timeline shows.
  package struct Part {
    package let recording: Recording
    package let from: UnixTimestamp
    /// The end of the part, which is not included.
    package let to: UnixTimestamp

    @inlinable
    init(recording: Recording, from: UnixTimestamp, to: UnixTimestamp) {
      self.recording = recording
      self.from = from
      self.to = to
    }
  }

  /// A series of recordings without a gap of more than a second between them.
  package struct Span {
    /// The start of the first recording; `to` is the end of the last one. Both are limited to the wanted time.
    package let from: UnixTimestamp
    package let to: UnixTimestamp
    /// True if a recording begins more than a second before another one ends.
    package let overlaps: Bool
    /// The recordings with their whole length, including the part outside the wanted time, in the order in which they
    /// begin.
    package let entries: [Entry]
    @usableFromInline let range: Range<UnixTimestamp>

    @usableFromInline
    init(from: UnixTimestamp, to: UnixTimestamp, overlaps: Bool, entries: [Entry], range: Range<UnixTimestamp>) {
      self.from = from
      self.to = to
      self.overlaps = overlaps
      self.entries = entries
      self.range = range
    }
  }

  /// The spans in order, with gaps of more than a second between them.
  package let spans: [Span]

  /// - Parameters:
  ///   - entries: the recordings, in the order in which they begin. Of two that begin together, the later one in this
  ///     sequence counts as the one that began last.
  ///   - range: the wanted time; whatever lies outside it is omitted.
  @inlinable
  package init(_ entries: some Sequence<Entry>, in range: Range<UnixTimestamp>) {
    var spans: [Span] = []
    var open: OpenSpan?
    for entry in entries where entry.reaches(into: range) {
      if open?.takes(entry) != true {
        if let open { spans.append(open.span(in: range)) }
        open = OpenSpan(entry)
      } else {
        open?.append(entry, in: range)
      }
    }
    if let open { spans.append(open.span(in: range)) }
    self.spans = spans
  }

  /// The parts of all spans, in the order in which they begin.
  @inlinable package var parts: [Part] { spans.flatMap { $0.parts } }
}

extension Timeline: Sendable where Recording: Sendable {}
extension Timeline.Entry: Sendable where Recording: Sendable {}
extension Timeline.Part: Sendable where Recording: Sendable {}
extension Timeline.Span: Sendable where Recording: Sendable {}

/// The longest gap between two recordings of one span, which is also the longest overlap that leaves both recordings
/// whole.
package enum TimelineRule {
  package static let joinMilliseconds: Int64 = 1_000
}

extension Timeline.Entry {
  /// Returns true if part of the entry is in the range. An entry without a length is in the range if its moment is.
  @inlinable func reaches(into range: Range<UnixTimestamp>) -> Bool {
    from < range.upperBound && (to > range.lowerBound || from >= range.lowerBound)
  }

  /// Returns true if the entry ends so soon after this moment that it is not cut there.
  @inlinable func isWhole(before moment: UnixTimestamp) -> Bool {
    to <= moment.advanced(byMilliseconds: TimelineRule.joinMilliseconds)
  }
}

extension Timeline {
  /// A span that more entries may extend.
  @usableFromInline struct OpenSpan {
    @usableFromInline var entries: [Entry]
    @usableFromInline var to: UnixTimestamp
    @usableFromInline var overlaps = false

    @inlinable init(_ entry: Entry) {
      entries = [entry]
      to = entry.to
    }

    @inlinable func takes(_ entry: Entry) -> Bool {
      entry.from <= to.advanced(byMilliseconds: TimelineRule.joinMilliseconds)
    }

    @inlinable mutating func append(_ entry: Entry, in range: Range<UnixTimestamp>) {
      if entry.from < to.advanced(byMilliseconds: -TimelineRule.joinMilliseconds),
        max(entry.from, range.lowerBound) < min(entry.to, to)
      {
        overlaps = true
      }
      entries.append(entry)
      to = max(to, entry.to)
    }

    @inlinable func span(in range: Range<UnixTimestamp>) -> Span {
      Span(
        from: max(entries[0].from, range.lowerBound), to: min(to, range.upperBound), overlaps: overlaps,
        entries: entries, range: range)
    }
  }
}

extension Timeline.Span {
  /// The parts that each recording shows, in the order in which they begin. Two consecutive recordings may both show
  /// the same time for up to a second.
  @inlinable package var parts: [Timeline.Part] {
    var parts: [Timeline.Part] = []
    /// The entries that have begun and are not known to have ended, in the order in which they began. The last one is
    /// showing now.
    var begun: [Timeline.Entry] = []
    /// The time when the current part of the last begun entry begins.
    var beginning = UnixTimestamp(milliseconds: .min)
    /// The time when the last part so far ends.
    var shown = UnixTimestamp(milliseconds: .min)

    func tell(_ entry: Timeline.Entry, to end: UnixTimestamp) {
      let (from, to) = (max(beginning, range.lowerBound), min(end, range.upperBound))
      if from < to { parts.append(Timeline.Part(recording: entry.recording, from: from, to: to)) }
      shown = max(shown, end)
    }
    func tellAll(before moment: UnixTimestamp) {
      while let current = begun.last, current.to <= moment {
        tell(current, to: current.to)
        begun.removeLast()
        beginning = shown
      }
    }

    for entry in entries where entry.from < entry.to {
      tellAll(before: entry.from)
      // An entry that is to continue later, but has not continued yet, shows nothing before this one.
      if let current = begun.last, beginning <= entry.from {
        if current.isWhole(before: entry.from) {
          tell(current, to: current.to)
          begun.removeLast()
        } else {
          tell(current, to: entry.from)
        }
      }
      beginning = entry.from
      begun.append(entry)
    }
    tellAll(before: UnixTimestamp(milliseconds: .max))
    return parts
  }
}
