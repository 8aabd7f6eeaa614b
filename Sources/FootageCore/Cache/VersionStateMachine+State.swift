internal import FootageBase

/// The playback state of a version.
extension VersionStateMachine {
  func state(now: Duration) -> PlaybackState {
    PlaybackState(
      activity: activity(now), cachedBytes: available.ranges, cachedSeconds: nil, length: length, duration: nil,
      bytesPerSecond: rate.value(at: now), isComplete: isComplete, storageProblem: storageProblem,
      robotSaid: robotSaid)
  }

  private func activity(_ now: Duration) -> PlaybackState.Activity {
    if let failure { return .failed(failure.error) }
    if let outage { return .retrying(outage.error, attempt: outage.attempt) }
    let longest = readers.values.filter { $0.use == .play }.compactMap(\.waitingSince).min()
    if let longest, now - max(longest, lastByte ?? longest) >= limits.stalled { return .stalled }
    return fetches.isEmpty && longest == nil ? .idle : .loading
  }
}
