public import Dispatch
public import Foundation

/// Time in which an app may do something while it is not on the screen.
open class BGTask: NSObject {
  public let identifier: String
  /// Called when the time is over.
  public var expirationHandler: (() -> Void)?
  /// The result of the task; nil while it continues.
  public private(set) var success: Bool?

  init(_ identifier: String) { self.identifier = identifier }

  public func setTaskCompleted(success: Bool) { self.success = success }
}

public class BGProcessingTask: BGTask {}

open class BGTaskRequest: NSObject {
  public let identifier: String
  public var earliestBeginDate: Date?

  init(_ identifier: String) { self.identifier = identifier }
}

public class BGProcessingTaskRequest: BGTaskRequest {
  public var requiresNetworkConnectivity = false
  public var requiresExternalPower = false

  public init(identifier: String) { super.init(identifier) }
}

public final class BGTaskScheduler: NSObject, Sendable {
  public static let shared = BGTaskScheduler()

  /// - Returns: whether Info.plist allows this identifier, and nobody has registered for it.
  @discardableResult
  public func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool { true }

  public func submit(_ request: BGTaskRequest) throws {}
}
