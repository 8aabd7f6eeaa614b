package import FootageBase

/// Writers of an inspection as JSON, for programs.
extension Inspection {
  /// Writes one object. Offsets and sizes are in bytes, durations in seconds.
  package func write(json: inout JSONWriter) {
    json.object { json in
      json.member("length", length)
      switch verdict {
      case .ready(let index):
        json.member("outcome", "ready")
        json.member("headLength", index.preamble.count)
        json.member("body") { json in
          json.array(index.body) { json, range in
            json.object {
              $0.member("offset", range.lowerBound)
              $0.member("length", range.upperBound - range.lowerBound)
            }
          }
        }
        json.member("recovered", index.isRecovered)
        json.member("notes") { $0.array(index.notes) { $0.value($1) } }
      case .incomplete(let error):
        json.member("outcome", "incomplete")
        json.member("reason", error.description)
      case .refused(let error):
        json.member("outcome", "refused")
        json.member("reason", error.description)
      }
      json.member("tracks") { $0.array(tracks) { Self.write($1, to: &$0) } }
      if let hindrances {
        json.member("film") { json in
          json.object { json in
            json.member("hindrances") { $0.array(hindrances) { Self.write($1, to: &$0) } }
          }
        }
      }
      json.member("boxes") { $0.array(boxes) { Self.write($1, to: &$0) } }
      json.member("abridged", isAbridged)
    }
  }

  private static func write(_ hindrance: FilmHindrance, to json: inout JSONWriter) {
    json.object {
      $0.member("code", hindrance.code)
      $0.member("text", hindrance.description)
    }
  }

  private static func write(_ track: TrackInspection, to json: inout JSONWriter) {
    let summary = track.summary
    json.object { json in
      json.member("id", summary.id)
      json.member("handler", "\(summary.handler)")
      json.member("codec", summary.sampleEntry?.codec)
      json.member("samples", summary.sampleCount)
      json.member("duration", summary.duration)
      if let entry = summary.sampleEntry {
        if entry.width > 0 {
          json.member("width", entry.width)
          json.member("height", entry.height)
          json.member("frameRate", summary.rate)
        }
        if entry.channels > 0 {
          json.member("sampleRate", entry.sampleRate)
          json.member("channels", entry.channels)
        }
      }
      if let number = track.videoTrack {
        json.member("videoTrack", number)
        json.member("shown", track.isShown)
      }
      if let rotation = track.rotation { json.member("rotation", rotation) }
      if let coding = track.coding { write(coding, to: &json) }
      if let statistics = track.statistics {
        json.member("sampleEntries", track.sampleEntryCount)
        json.member("edits", track.editCount)
        write(statistics, ofPictures: track.handler == "vide", to: &json)
      }
    }
  }

  private static func write(_ coding: VideoCoding, to json: inout JSONWriter) {
    json.member("profile", coding.profile)
    json.member("level", coding.level)
    if let tier = coding.tier { json.member("tier", tier) }
    json.member("referenceFrames", coding.referenceFrames)
    json.member("scan", coding.scan?.rawValue)
    json.member("entropyCoding", coding.entropyCoding?.rawValue)
    json.member("chromaFormat", coding.chromaFormat)
    json.member("bitDepth", coding.lumaDepth)
    json.member("chromaBitDepth", coding.chromaDepth)
    guard let colour = coding.colour else { return }
    json.member("colour") {
      $0.object {
        $0.member("fullRange", colour.isFullRange)
        $0.member("primaries", colour.primaries)
        $0.member("transfer", colour.transfer)
        $0.member("matrix", colour.matrix)
      }
    }
  }

  /// Writes the statistics. Rates are in bits a second.
  private static func write(
    _ statistics: SampleStatistics, ofPictures hasGroups: Bool, to json: inout JSONWriter
  ) {
    func whole(_ rate: Double?) -> UInt64? { rate.flatMap { UInt64(exactly: $0.rounded()) } }
    json.member("bytes", statistics.byteCount)
    json.member("bitRate", whole(statistics.bitRate))
    json.member("peakBitRate", whole(statistics.peakBitRate))
    if statistics.isAbridged { json.member("samplesLookedAt", statistics.sampleCount) }
    guard hasGroups else { return }
    json.member("reorderDepth", statistics.reorderDepth)
    let groups = statistics.groups
    json.member("keyFrames", groups.count)
    json.member("framesBeforeKeyFrame", groups.framesBefore)
    json.member("openGroups", groups.openCount)
    guard groups.count > 0 else { return }
    json.member("groupFrames") {
      $0.object {
        $0.member("shortest", groups.frames.shortest)
        $0.member("median", groups.frames.median)
        $0.member("longest", groups.frames.longest)
      }
    }
    json.member("groupSeconds") {
      $0.object {
        $0.member("shortest", groups.seconds.shortest)
        $0.member("median", groups.seconds.median)
        $0.member("longest", groups.seconds.longest)
      }
    }
  }

  private static func write(_ box: Node, to json: inout JSONWriter) {
    json.object {
      $0.member("type", "\(box.type)")
      $0.member("offset", box.offset)
      $0.member("size", box.size)
      if let fault = box.fault { $0.member("fault", fault) }
      if !box.children.isEmpty { $0.member("boxes") { $0.array(box.children) { write($1, to: &$0) } } }
    }
  }
}
