package import FootageBase

/// What has to be known of a recorder's file to serve it as an MP4 that starts at once.
///
/// The served recording is the preamble followed by ranges of the recorder's file, which nobody changes.
package struct MovieIndex: Sendable, Equatable {
  /// What is served before the recorder's bytes; empty where the file is served as it is.
  package let preamble: [UInt8]
  /// All that is served: the preamble, and ranges of the recorder's file, which is source 0.
  package let composition: Composition
  package var movie: MovieSummary
  /// Whether the file is a fragmented one that was cut off, or is broken at its end: it is served up to its last
  /// whole fragment.
  package var isRecovered: Bool
  /// What was left out or is odd, a sentence each, in the order it was met.
  package var notes: [String]

  /// Changes whenever the bytes of preambles change, so that no two versions of one share an entity tag.
  package static let layoutVersion: UInt8 = 1

  /// Changes whenever the same bytes may be judged in another way, refused instead of served for instance, so that a
  /// catalog knows which of its rows to look at again.
  package static let rulesVersion: UInt8 = 2

  /// - Parameter body: ranges of the recorder's file, in serving order.
  package init(
    preamble: [UInt8] = [], body: some Sequence<Range<UInt64>>, movie: MovieSummary, isRecovered: Bool = false,
    notes: [String] = []
  ) {
    self.preamble = preamble
    composition = Composition(preamble, then: body)
    self.movie = movie
    self.isRecovered = isRecovered
    self.notes = notes
  }

  /// Ranges of the recorder's file that follow the preamble, in serving order; none is empty, no two adjoin.
  package var body: [Range<UInt64>] { composition.ranges() }

  /// The length of what is served, in bytes.
  package var length: UInt64 { composition.length }
}

/// What became of an attempt to index a file.
package enum IndexOutcome: Sendable, Equatable {
  case ready(MovieIndex)
  /// Nothing can be served of it yet: cut short, or the recorder is still writing.
  case incomplete(MP4Error)
}

/// An outcome and what it was found from.
struct Indexing {
  let outcome: IndexOutcome
  /// What there is in the tracks, as far as they could be read.
  var tracks: [TrackSummary] = []
}
