internal import FootageBase

/// The choice of the video track that lists describe and films show.
///
/// A file may have several: a slow track for analysis before the real one, a thumbnail, a second lens. The one that most
/// players can show is chosen, then the one with the most pictures.
struct VideoTrackChoice {
  /// The facts about a video track by which it is chosen.
  struct Candidate {
    /// The type of its first sample entry.
    let codec: FourCharacterCode
    /// True if players show the track by default.
    let isEnabled: Bool
    let sampleCount: Int
  }

  /// Returns the position of the chosen candidate; nil if there is none.
  ///
  /// The criteria are, in this order: more than one picture, a codec that more players can show, a track that is
  /// enabled, the most pictures. Of tracks with nearly as many pictures, the first one is chosen.
  static func best(_ candidates: [Candidate]) -> Int? {
    let ranks = candidates.map { Rank($0) }
    guard let best = ranks.min() else { return nil }
    let most = zip(candidates, ranks).lazy.filter { $0.1 == best }.map(\.0.sampleCount).max() ?? 0
    return candidates.indices.first { ranks[$0] == best && isNearly(candidates[$0].sampleCount, most) }
  }

  /// Returns true if a track has at least nine tenths of the most pictures. Two cameras that record the same time have
  /// not exactly the same number.
  private static func isNearly(_ count: Int, _ most: Int) -> Bool { count >= most - most / 10 }

  /// The criteria before the number of pictures. The lesser one is better.
  private struct Rank: Comparable {
    private let isSinglePicture: Bool
    private let codec: Int
    private let isDisabled: Bool

    init(_ candidate: Candidate) {
      isSinglePicture = candidate.sampleCount < 2
      codec = VideoTrackChoice.codecRanks[candidate.codec] ?? VideoTrackChoice.otherCodecs
      isDisabled = !candidate.isEnabled
    }

    static func < (one: Rank, other: Rank) -> Bool {
      if one.isSinglePicture != other.isSinglePicture { return other.isSinglePicture }
      if one.codec != other.codec { return one.codec < other.codec }
      return !one.isDisabled && other.isDisabled
    }
  }

  /// The ranks of sample entries: the codecs that browsers play, those that the most of them play first, and last those
  /// that none plays in a film.
  private static let codecRanks: [FourCharacterCode: Int] = [
    "avc1": 0, "avc3": 0, "hvc1": 1, "hev1": 1, "av01": 2, "vp09": 3, "vp08": 3,
    "mp4v": 5, "jpeg": 5, "mjpg": 5, "MJPG": 5, "mjpa": 5, "mjpb": 5, "png ": 5, "s263": 5, "encv": 5,
  ]
  /// The rank of a codec that is not in the table.
  private static let otherCodecs = 4
}

extension Movie {
  /// The video tracks with at least one picture, in the file's order. The first one has the number 1.
  var videoTracks: [Track] { tracks.filter { $0.handler == "vide" && $0.samples.count > 0 } }

  /// Returns the video track that films show; nil if there is none.
  ///
  /// - Parameter number: the number of the track to show, from 1 on; nil for the one that most players can show.
  func chosenVideoTrack(_ number: Int? = nil) -> Track? {
    let all = videoTracks
    if let number { return all.indices.contains(number - 1) ? all[number - 1] : nil }
    let candidates = all.map { track in
      VideoTrackChoice.Candidate(
        codec: track.sampleEntries.first?.type ?? "????", isEnabled: track.isEnabled, sampleCount: track.samples.count)
    }
    return VideoTrackChoice.best(candidates).map { all[$0] }
  }
}
