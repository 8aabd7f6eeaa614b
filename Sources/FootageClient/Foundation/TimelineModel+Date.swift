public import FootageCore
public import Foundation

extension TimelineModel {
  /// Loads what there is of a time; what was asked for before and is not here yet is given up.
  ///
  /// - Parameter interval: not empty; its end is not included.
  public func load(_ interval: DateInterval) async {
    await load(from: UnixTime(interval.start), to: UnixTime(interval.end))
  }

  /// Which recording shows a moment, and at which of its seconds; nil in a gap.
  public func part(at moment: Date) -> (part: RobotTimeline.Part, seconds: Double)? { part(at: UnixTime(moment)) }
}
