internal import FootageCore
public import Foundation

extension RecordingListModel {
  /// The moment ``since`` as a `Date`.
  @MainActor public var sinceDate: Date? {
    get { since?.date }
    set { since = newValue.map { UnixTime($0) } }
  }

  /// The moment ``until`` as a `Date`.
  @MainActor public var untilDate: Date? {
    get { until?.date }
    set { until = newValue.map { UnixTime($0) } }
  }

  /// The moment ``listedAt`` as a `Date`.
  @MainActor public var listedDate: Date? { listedAt?.date }
}
