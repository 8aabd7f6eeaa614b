/// The tables of any movie and its list of samples: lookups agree with one another and stay inside the file.

internal import FootageBase
internal import FootageMedia

enum Tables {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard let tables = try? MovieTables.make(of: MemoryByteSource(bytes)) else { return }
    let tracks = tables.tracks
    for track in tracks.prefix(4) { try check(track) }
    try checkList(of: tracks, bytes)
    try Views.check(tables, bytes)
  }

  /// Checks the list page by page: it contains each sample once.
  private static func checkList(of tracks: [TrackTables], _ bytes: [UInt8]) throws(Finding) {
    let source = MemoryByteSource(bytes)
    // A file of a few bytes may claim millions of samples without bytes.
    guard tracks.reduce(0, { $0 + $1.sampleCount }) <= 10_000,
      var listing = try? SampleListing(of: source, .init(isJSON: bytes.count % 2 == 0, hasKeysOnly: false))
    else { return }
    var lineCount = listing.form.isJSON ? 0 : -1
    while listing.position != nil {
      guard let lines = try? listing.next(100, from: source) else { return }
      lineCount += lines.count { $0 == UInt8(ascii: "\n") }
    }
    let sampleCount = tracks.reduce(0) { $0 + $1.sampleCount }
    try expect(lineCount == sampleCount, "\(lineCount) of \(sampleCount) samples are listed")
  }

  private static func check(_ track: TrackTables) throws(Finding) {
    for sample in Set([0, 1, track.sampleCount / 2, track.sampleCount - 1])
    where (0..<track.sampleCount).contains(sample) {
      let time = track.mediaTime(of: sample)
      guard let shown = track.sample(shownAt: time) else {
        throw Finding(description: "nothing is shown at \(time), the time of sample \(sample)")
      }
      let shownTime = track.mediaTime(of: shown)
      try expect(shownTime == time, "at \(time) there is sample \(shown), whose time is \(shownTime)")
      if track.isSync(sample) {
        let last = track.syncSample(atOrBefore: time)
        try expect(last.map { track.mediaTime(of: $0) } == time, "at \(time) there is no sync sample")
      }
      if let next = track.syncSample(after: time) {
        try expect(track.isSync(next) && track.mediaTime(of: next) > time, "sample \(next) is not after \(time)")
      }
      _ = track.place(of: sample)
    }
  }
}
