package import FootageBase

/// A view of everything that a camera recorded.
package enum CameraView: Hashable, Sendable {
  /// The protection from deletion of all recordings in a period, or the end of that protection: `CAM.keep`,
  /// `CAM.release`.
  case protection(CameraAction)
  /// The timeline of a period: `CAM.json`.
  case timeline(TimelineQuery)
  /// The footage of a period as a film: `CAM.m3u8?from=&to=`.
  ///
  /// - Parameters:
  ///   - from: the beginning; nil leaves it to the robot.
  ///   - to: the end, later than the beginning.
  case playlist(from: UnixTimestamp?, to: ViewEnd)
  /// The footage of a period as one MP4: `CAM.mp4?from=&to=`.
  case clip(from: UnixTimestamp, to: ViewEnd)
}

/// An action on all recordings of a camera in a period.
package enum CameraAction: String, Hashable, Sendable {
  /// Protects the recordings from deletion.
  case keep
  /// Ends the protection.
  case release
}

/// The end of a view of a camera's recordings.
package enum ViewEnd: Hashable, Sendable {
  /// The view ends with whatever was recorded last.
  case now
  /// The view ends at this moment, which is not included.
  case at(UnixTimestamp)

  var parameter: String {
    switch self {
    case .now: Self.nowText
    case .at(let moment): moment.parameter
    }
  }

  fileprivate static let nowText = "now"
}

extension CameraView {
  /// - Parameters:
  ///   - ending: the part of the path after the last dot.
  ///   - query: the query without its `?`.
  /// - Throws: `ResourceError.unknownPath`, `.badQuery`.
  init(_ ending: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?) throws(ResourceError) {
    switch String(decoding: ending, as: UTF8.self) {
    case "keep": self = .protection(.keep)
    case "release": self = .protection(.release)
    case "json": self = .timeline(try TimelineQuery(try QueryParameters(query)))
    case "m3u8":
      var values = try ViewParameters(try QueryParameters(query))
      let (from, to) = try Self.span(&values)
      self = .playlist(from: from, to: to ?? .now)
    case "mp4":
      var values = try ViewParameters(try QueryParameters(query))
      guard case (let from?, let to?) = try Self.span(&values) else {
        throw .badQuery("A camera's clip needs from and to, two times such as 2026-11-20T14:19:30Z; to may be now.")
      }
      self = .clip(from: from, to: to)
    default: throw .unknownPath
    }
  }

  /// Takes the parameters `from` and `to`, and rejects all others.
  private static func span(
    _ values: inout ViewParameters?
  ) throws(ResourceError) -> (from: UnixTimestamp?, to: ViewEnd?) {
    guard values != nil else { return (nil, nil) }
    let from = try values?.takeMoment("from")
    let to = try values?.takeEnd("to")
    try values?.refuseOthers("A camera accepts the times from and to")
    if let from, case .at(let end)? = to, from >= end { throw ViewParameters.reversed }
    return (from, to)
  }

  /// The part of the target after the name.
  var suffix: String {
    var query = QueryWriter()
    switch self {
    case .protection(let action): return ".\(action.rawValue)"
    case .timeline(let timeline): return ".json\(timeline.query)"
    case .playlist(let from, let to):
      query.add("from", from?.parameter)
      if to != .now { query.add("to", to.parameter) }
      return ".m3u8\(query.text)"
    case .clip(let from, let to):
      query.add("from", from.parameter)
      query.add("to", to.parameter)
      return ".mp4\(query.text)"
    }
  }
}

extension ViewParameters {
  static let reversed = ResourceError.badQuery("The parameter from must be before to.")

  /// Takes a moment or `now`; nil if the parameter is missing.
  fileprivate mutating func takeEnd(_ name: StaticString) throws(ResourceError) -> ViewEnd? {
    if peek(name) == ViewEnd.nowText {
      _ = take(name)
      return .now
    }
    return try takeMoment(name).map { .at($0) }
  }
}
