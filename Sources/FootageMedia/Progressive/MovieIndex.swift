package import FootageBase

/// The information that is needed to serve a recorder's file as an MP4 that starts to play without delay.
///
/// The served recording is the preamble followed by ranges of the recorder's file, which never changes.
package struct MovieIndex: Sendable, Equatable {
  /// The bytes before the recorder's. They are empty if the file is served as it is.
  package let preamble: [UInt8]
  /// All bytes that are served: the preamble, and ranges of the recorder's file, which is source 0.
  package let composition: Composition
  package var movie: MovieSummary
  /// True if the file is fragmented and is incomplete or broken at its end. It is then served up to its last complete
  /// fragment.
  package var isRecovered: Bool
  /// Sentences about the parts that were left out or are irregular, in the order in which they were found.
  package var notes: [String]

  /// The version of the preamble's layout. It changes whenever the bytes of preambles change, so that two different
  /// preambles never share an entity tag.
  package static let layoutVersion: UInt8 = 1

  /// The version of the rules for files. It changes whenever the same bytes may have a different result: another
  /// preamble or sample index, or refused instead of served. A catalog then knows which of its rows were made by older
  /// rules. They stay as they are until their files change or a person asks for new ones (`footage ingest --again`).
  package static let rulesVersion: UInt8 = 3

  /// - Parameter body: the ranges of the recorder's file, in serving order.
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

  /// The ranges of the recorder's file that follow the preamble, in serving order. None is empty, and no two adjoin.
  package var body: [Range<UInt64>] { composition.ranges() }

  /// The length of the served bytes.
  package var length: UInt64 { composition.length }
}

/// The result of an attempt to index a file.
package enum IndexOutcome: Sendable, Equatable {
  case ready(MovieIndex)
  /// Nothing can be served yet, because the file is incomplete or the recorder is still writing it.
  case incomplete(MP4Error)
}

/// An outcome and the tracks from which it was determined.
struct Indexing {
  let outcome: IndexOutcome
  /// The facts about the tracks that could be read.
  var tracks: [TrackSummary] = []
}
