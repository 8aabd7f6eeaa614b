internal import Storage

/// What has to be known of a recorder's file to serve it as an MP4 that starts at once.
///
/// The served recording is `head` followed by the `body` ranges of the recorder's file, which nobody changes.
package struct MovieIndex: Sendable, Equatable {
  /// What is served before the body; empty where the file is served as it is.
  package var head: [UInt8]
  /// Byte ranges of the source file that follow the head, in serving order; none is empty, no two adjoin.
  package var body: [Range<UInt64>]
  package var movie: MovieSummary
  /// Whether the file is a fragmented one that was cut off, or is broken at its end: it is served up to its last
  /// whole fragment.
  package var isRecovered: Bool
  /// What was left out or is odd, a sentence each, in the order it was met.
  package var notes: [String]

  /// Changes whenever the bytes of heads change, so that no two versions of a head share an entity tag.
  package static let layoutVersion: UInt8 = 1

  /// Changes whenever the same bytes may be judged in another way, refused instead of served for instance, so that a
  /// catalog knows which of its rows to look at again.
  package static let rulesVersion: UInt8 = 2

  package init(
    head: [UInt8], body: [Range<UInt64>], movie: MovieSummary, isRecovered: Bool = false, notes: [String] = []
  ) {
    self.head = head
    self.body = body
    self.movie = movie
    self.isRecovered = isRecovered
    self.notes = notes
  }

  /// The length of what is served, in bytes.
  package var length: UInt64 {
    body.reduce(UInt64(head.count)) { $0 + ($1.upperBound - $1.lowerBound) }
  }
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
