// Dispatch as Apple declares it, as far as Footage and the stand-ins use it: for `scripts/tools/check/minimum.py`, which
// only type-checks.

public struct DispatchTime: Comparable, Sendable {
  public static func now() -> DispatchTime { fatalError() }
  public static func < (left: DispatchTime, right: DispatchTime) -> Bool { fatalError() }
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { fatalError() }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { fatalError() }

public enum DispatchTimeInterval: Equatable, Sendable {
  case seconds(Int)
  case milliseconds(Int)
  case microseconds(Int)
  case nanoseconds(Int)
  case never
}

public enum DispatchTimeoutResult: Sendable {
  case success
  case timedOut
}

public struct DispatchQoS: Equatable, Sendable {
  public init() {}
  public static let userInitiated = DispatchQoS()
}

public final class DispatchQueue: @unchecked Sendable {
  public init(label: String, qos: DispatchQoS = DispatchQoS()) {}
  public func async(execute work: @escaping @Sendable () -> Void) {}
  public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable () -> Void) {}
}

public enum DispatchPredicate {
  case onQueue(DispatchQueue)
  case notOnQueue(DispatchQueue)
}

public func dispatchPrecondition(condition: @autoclosure () -> DispatchPredicate) {}

public final class DispatchGroup: @unchecked Sendable {
  public init() {}
  public func enter() {}
  public func leave() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { fatalError() }
}

public final class DispatchSemaphore: @unchecked Sendable {
  public init(value: Int) {}
  @discardableResult public func signal() -> Int { fatalError() }
  public func wait() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { fatalError() }
}
