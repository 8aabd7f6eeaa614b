public import FootageCore
public import Foundation

extension TimelineModel {
  /// Loads the timeline of a time range. An earlier request that has not been answered yet is canceled.
  ///
  /// - Parameter interval: not empty; its end is not included.
  public func load(_ interval: DateInterval) async {
    await load(from: UnixTime(interval.start), to: UnixTime(interval.end))
  }

  /// Returns the recording that shows a moment, and the second at which it does; nil in a gap.
  public func part(at moment: Date) -> (part: RobotTimeline.Part, seconds: Double)? { part(at: UnixTime(moment)) }
}
