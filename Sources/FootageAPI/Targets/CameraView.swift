package import FootageBase

/// What there is of what a camera recorded.
package enum CameraView: Hashable, Sendable {
  /// That all of some time is kept from being deleted, or is so no longer: `CAM.keep`, `CAM.release`.
  case protection(CameraAction)
  /// What there is of some time: `CAM.json`.
  case timeline(TimelineQuery)
  /// That time as a film: `CAM.m3u8?from=&to=`.
  ///
  /// - Parameters:
  ///   - from: nil where it is left to the robot.
  ///   - to: behind the beginning.
  case playlist(from: UnixTimestamp?, to: ViewEnd)
  /// That time as one MP4: `CAM.mp4?from=&to=`.
  case clip(from: UnixTimestamp, to: ViewEnd)
}

/// What can be done with all that a camera recorded at some time.
package enum CameraAction: String, Hashable, Sendable {
  /// Protect it from being deleted.
  case keep
  /// Give that up again.
  case release
}

/// Where a view of a camera's recordings ends.
package enum ViewEnd: Hashable, Sendable {
  /// With what was recorded last.
  case now
  /// Not included.
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
  ///   - ending: of the path, behind the last dot.
  ///   - query: without its `?`.
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

  /// Takes the parameters `from` and `to`, and refuses whatever stands beside them.
  private static func span(
    _ values: inout ViewParameters?
  ) throws(ResourceError) -> (from: UnixTimestamp?, to: ViewEnd?) {
    guard values != nil else { return (nil, nil) }
    let from = try values?.takeMoment("from")
    let to = try values?.takeEnd("to")
    try values?.refuseOthers("A camera takes from and to, as times")
    if let from, case .at(let end)? = to, from >= end { throw ViewParameters.reversed }
    return (from, to)
  }

  /// Of the target, behind the name.
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
  static let reversed = ResourceError.badQuery("The time has to end behind its beginning: from is before to.")

  /// A moment, or `now`; nil where the parameter is not there.
  fileprivate mutating func takeEnd(_ name: StaticString) throws(ResourceError) -> ViewEnd? {
    if peek(name) == ViewEnd.nowText {
      _ = take(name)
      return .now
    }
    return try takeMoment(name).map { .at($0) }
  }
}
