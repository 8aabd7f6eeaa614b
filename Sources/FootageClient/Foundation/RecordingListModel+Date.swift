internal import FootageCore
public import Foundation

extension RecordingListModel {
  /// As ``since``.
  @MainActor public var sinceDate: Date? {
    get { since?.date }
    set { since = newValue.map { UnixTime($0) } }
  }

  /// As ``until``.
  @MainActor public var untilDate: Date? {
    get { until?.date }
    set { until = newValue.map { UnixTime($0) } }
  }

  /// As ``listedAt``.
  @MainActor public var listedDate: Date? { listedAt?.date }
}
