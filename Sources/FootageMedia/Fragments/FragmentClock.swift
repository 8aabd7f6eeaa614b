/// The clock of a fragmented movie. It decides in seconds, and for all tracks together, whether the times that
/// fragments claim can be right.
///
/// A gap of up to a day stays. If a fragment claims an earlier time than what was there before, or one more than a day
/// later, the recorder's clock was set. All times that the new clock gives are then moved by the same amount, so that
/// they follow what was there before, and tracks stay together. A clock that begins so far from 0 that a track could
/// not count on from there is moved to begin at 0.
struct FragmentClock: Sendable {
  /// The time at which a fragment claims that a track's samples begin.
  struct Claim: Hashable, Sendable {
    /// The index of the track.
    let track: Int
    /// The time in ticks of the track.
    let time: Int64
  }

  /// The longest gap that stays: a day.
  static let longestGapSeconds = 86_400
  private static let longestGap = Int128(longestGapSeconds) * 1_000_000_000

  /// The clock of each track.
  var tracks: [FragmentTimes]
  /// The time that is added to all times of the recorder's present clock, in nanoseconds.
  private var correction: Int128 = 0
  /// The time that was taken from the clock at its beginning, in nanoseconds.
  private(set) var beginning: Int128 = 0
  /// True if the recorder's clock was set at least once.
  var wasSet: Bool { isCorrected || tracks.contains(where: \.wasSet) }
  private var isCorrected = false
  /// True if the duration of a sample was mended.
  var isMended: Bool { tracks.contains(where: \.isMended) }

  init(timescales: [UInt32]) { tracks = timescales.map { FragmentTimes(timescale: $0) } }

  /// Enters a fragment, before its samples are appended to the tracks' clocks.
  ///
  /// - Parameter claims: the first claim of each track in the fragment.
  mutating func enter(_ claims: [Claim]) {
    var isPlausible = true
    for claim in claims {
      if tracks[claim.track].isEmpty {
        begin(claim, among: claims)
      } else {
        if tracks[claim.track].correction != correction { choose(for: claim) }
        let track = tracks[claim.track]
        if !track.isInOrder(claim.time) || track.gap(before: claim.time, correction: track.correction) > Self.longestGap
        {
          isPlausible = false
        }
      }
    }
    guard !isPlausible, let end, let start = claims.map({ tracks[$0.track].nanoseconds($0.time) }).min() else { return }
    correction = end - start
    isCorrected = true
    for claim in claims { tracks[claim.track].correct(by: correction) }
  }

  /// The latest end of a sample in any track, in nanoseconds, or nil if there is no sample.
  private var end: Int128? { tracks.lazy.filter { !$0.isEmpty }.map { $0.nanoseconds($0.end) }.max() }

  /// Chooses between the recorder's earlier clock, which a track still has, and its present one: tracks may pass the
  /// moment at which the clock was set in different fragments.
  private mutating func choose(for claim: Claim) {
    let track = tracks[claim.track]
    let earlier = track.gap(before: claim.time, correction: track.correction)
    let present = track.gap(before: claim.time, correction: correction)
    if present.magnitude < earlier.magnitude { tracks[claim.track].correct(by: correction) }
  }

  /// Begins a track. If it claims to begin more than a day away from the other tracks, its clock has nothing to do with
  /// theirs, and it begins where they are.
  private mutating func begin(_ claim: Claim, among claims: [Claim]) {
    let time = tracks[claim.track].nanoseconds(claim.time)
    guard let present = end else {
      let first = claims.map { tracks[$0.track].nanoseconds($0.time) }.min() ?? time
      if first < 0 || first > farthestBeginning { beginning = first }
      correction = -beginning
      let apart = time - first > Self.longestGap ? time - first : 0
      if apart > 0 { isCorrected = true }
      tracks[claim.track].correct(by: correction - apart)
      return
    }
    if (time + correction - present).magnitude <= Self.longestGap {
      tracks[claim.track].correct(by: correction)
    } else {
      tracks[claim.track].correct(by: present - time)
      isCorrected = true
    }
  }

  /// The latest time, in nanoseconds, at which a clock may begin: every track can count as long again from there.
  private var farthestBeginning: Int128 {
    Int128(Limits.ticks / 2) * 1_000_000_000 / Int128(tracks.lazy.map(\.timescale).max() ?? 1)
  }

  /// Returns the duration of a track's last sample in ticks. A wild duration becomes that of the sample before it,
  /// unless another track goes on for about as long.
  func lastDuration(of index: Int) -> Int64 {
    let track = tracks[index]
    guard track.isLastDurationWild else { return track.next - track.last }
    let others = tracks.indices.filter { $0 != index && !tracks[$0].isEmpty }.map {
      tracks[$0].nanoseconds(tracks[$0].end)
    }
    let rest = others.max().map { track.ticks($0) - track.last } ?? 0
    let claimed = track.next - track.last
    return rest >= claimed / 10 * 9 ? claimed : track.end - track.last
  }
}
