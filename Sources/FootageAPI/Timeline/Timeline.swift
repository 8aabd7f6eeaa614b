package import FootageBase

/// Which of a camera's recordings shows what, over some time: the rule by which its timeline, its films and its clips
/// are cut alike.
///
/// Recordings that follow one another within a second are one span. Where the later one begins up to a second before
/// the other ends, both are whole. Where it begins earlier, each moment belongs to the one that began last, and an older
/// one goes on where a later one ends before it.
///
/// Inlinable, since a day has thousands, and what is generic in another module looks up its types for each of them.
package struct Timeline<Recording> {
  /// A recording and the time that it covers.
  package struct Entry {
    package let recording: Recording
    package let from: UnixTimestamp
    /// Not included; never before `from`.
    package let to: UnixTimestamp

    @inlinable
    package init(_ recording: Recording, from: UnixTimestamp, to: UnixTimestamp) {
      self.recording = recording
      self.from = from
      self.to = max(from, to)
    }

    /// Its length; clamped.
    package var milliseconds: Int64 {
      let (difference, overflows) = to.milliseconds.subtractingReportingOverflow(from.milliseconds)
      return overflows ? .max : difference
    }
  }

  /// The moments of a recording that are its own to show.
  package struct Part {
    package let recording: Recording
    package let from: UnixTimestamp
    /// Not included.
    package let to: UnixTimestamp

    @inlinable
    init(recording: Recording, from: UnixTimestamp, to: UnixTimestamp) {
      self.recording = recording
      self.from = from
      self.to = to
    }
  }

  /// Recordings without a gap of more than a second.
  package struct Span {
    /// When the first begins, and the last ends, within the wanted time.
    package let from: UnixTimestamp
    package let to: UnixTimestamp
    /// Whether one begins more than a second before another one's end.
    package let overlaps: Bool
    /// As long as they are, also beyond the wanted time; in the order in which they begin.
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

  /// In order, with gaps of more than a second between them.
  package let spans: [Span]

  /// - Parameters:
  ///   - entries: in the order in which they begin. Of two that begin together the later one here counts as the one
  ///     that began last.
  ///   - range: the wanted time; what lies outside of it is left out.
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

/// What may lie between two recordings of one span, and how far both may reach into one another and be whole.
package enum TimelineRule {
  package static let joinMilliseconds: Int64 = 1_000
}

extension Timeline.Entry {
  /// One without a length does at its moment.
  @inlinable func reaches(into range: Range<UnixTimestamp>) -> Bool {
    from < range.upperBound && (to > range.lowerBound || from >= range.lowerBound)
  }

  /// Whether it ends so soon after this moment that it is not cut there.
  @inlinable func isWhole(before moment: UnixTimestamp) -> Bool {
    to <= moment.advanced(byMilliseconds: TimelineRule.joinMilliseconds)
  }
}

extension Timeline {
  /// A span that may go on.
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
  /// Who shows what, in the order in which it begins. Two that follow one another may both show up to a second.
  @inlinable package var parts: [Timeline.Part] {
    var parts: [Timeline.Part] = []
    /// Those that have begun and are not known to have ended, the one that began last at the end: that shows now.
    var begun: [Timeline.Entry] = []
    /// Where the part of that one begins,
    var beginning = UnixTimestamp(milliseconds: .min)
    /// and where the last part so far ends.
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
      // One that is to come back, and has not yet, leaves it to this one.
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
