// Foundation as Apple declares it, as far as Footage and the stand-ins use it, with the versions that Apple's pages give:
// for `scripts/tools/check/minimum.py`, which only type-checks.

public protocol NSObjectProtocol: AnyObject {}

open class NSObject: NSObjectProtocol, Equatable, Hashable {
  public init() { fatalError() }
  public static func == (left: NSObject, right: NSObject) -> Bool { fatalError() }
  public func hash(into hasher: inout Hasher) {}
}

// MARK: Values

public struct Data: Sendable, Hashable, RandomAccessCollection {
  public init() { fatalError() }
  public init(_ bytes: some Sequence<UInt8>) { fatalError() }
  @unsafe public init(bytes: UnsafeRawPointer, count: Int) { fatalError() }
  public var startIndex: Int { fatalError() }
  public var endIndex: Int { fatalError() }
  public subscript(index: Int) -> UInt8 { fatalError() }
  public func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    fatalError()
  }
  public func write(to url: URL) throws {}
}

public protocol ContiguousBytes {
  func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value
}

public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}

extension Data: ContiguousBytes, DataProtocol {}
extension Array: ContiguousBytes, DataProtocol where Element == UInt8 {}
extension UnsafeRawBufferPointer: @unsafe ContiguousBytes {
  public func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
    fatalError()
  }
}

public typealias TimeInterval = Double

public struct Date: Sendable, Hashable, Comparable {
  public init() { fatalError() }
  public init(timeIntervalSince1970: TimeInterval) { fatalError() }
  public var timeIntervalSince1970: TimeInterval { fatalError() }
  public func addingTimeInterval(_ interval: TimeInterval) -> Date { fatalError() }
  public static func < (left: Date, right: Date) -> Bool { fatalError() }

  @available(macOS 12.0, iOS 15.0, tvOS 15.0, *)
  public struct FormatStyle: Sendable {
    public struct DateStyle: Sendable { public static let long = DateStyle() }
    public struct TimeStyle: Sendable { public static let omitted = TimeStyle() }
  }

  @available(macOS 12.0, iOS 15.0, tvOS 15.0, *)
  public func formatted(date: FormatStyle.DateStyle, time: FormatStyle.TimeStyle) -> String { fatalError() }
}

@available(macOS 10.12, iOS 10.0, tvOS 10.0, *)
public struct DateInterval: Sendable, Hashable {
  public init(start: Date, end: Date) { fatalError() }
  public var start: Date
  public var end: Date
}

public struct UUID: Sendable, Hashable {
  public init() { fatalError() }
  public var uuidString: String { fatalError() }
}

public struct URL: Sendable, Hashable {
  public init?(string: String) { fatalError() }
  @available(macOS 13.0, iOS 16.0, tvOS 16.0, *)
  public init(filePath: String) { fatalError() }
  public var isFileURL: Bool { fatalError() }
  public var absoluteString: String { fatalError() }
  @available(macOS 13.0, iOS 16.0, tvOS 16.0, *)
  public func path(percentEncoded: Bool = true) -> String { fatalError() }
  @available(macOS 13.0, iOS 16.0, tvOS 16.0, *)
  public func appending(path: some StringProtocol) -> URL { fatalError() }
  public mutating func setResourceValues(_ values: URLResourceValues) throws {}
}

public struct URLResourceValues {
  public init() { fatalError() }
  public var isExcludedFromBackup: Bool?
}

public struct URLComponents: Sendable {
  public init() { fatalError() }
  public var scheme: String?
  public var host: String?
  public var path: String
  public var url: URL? { fatalError() }
}

// MARK: Errors and languages

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
  var failureReason: String? { get }
  var recoverySuggestion: String? { get }
  var helpAnchor: String? { get }
}

extension LocalizedError {
  public var errorDescription: String? { fatalError() }
  public var failureReason: String? { fatalError() }
  public var recoverySuggestion: String? { fatalError() }
  public var helpAnchor: String? { fatalError() }
}

extension Error {
  public var localizedDescription: String { fatalError() }
}

public enum POSIXErrorCode: Int32, Sendable {
  case EIO = 5
  case ECONNABORTED = 53
  case ECONNRESET = 54
  case ECONNREFUSED = 61
  case ECANCELED = 89
}

public final class Bundle: NSObject, @unchecked Sendable {
  public class var main: Bundle { fatalError() }
  public var localizations: [String] { fatalError() }
  public var preferredLocalizations: [String] { fatalError() }
  public func localizedString(forKey key: String, value: String?, table: String?) -> String { fatalError() }
}

public struct Locale: Sendable {
  public static var preferredLanguages: [String] { fatalError() }
}

public final class ProcessInfo: NSObject, @unchecked Sendable {
  public class var processInfo: ProcessInfo { fatalError() }
  public var environment: [String: String] { fatalError() }
}

public final class FileManager: NSObject, @unchecked Sendable {
  public class var `default`: FileManager { fatalError() }
  public var temporaryDirectory: URL { fatalError() }
  public func removeItem(at url: URL) throws {}
}

// MARK: Core Foundation's kinds

open class NSArray: NSObject {}
open class NSData: NSObject {}
open class NSDate: NSObject {}
open class NSDictionary: NSObject {}
open class NSError: NSObject, Error, @unchecked Sendable {}
open class NSString: NSObject {}

extension Array: _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSArray { fatalError() }
  public static func _forceBridgeFromObjectiveC(_ source: NSArray, result: inout Array?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSArray, result: inout Array?) -> Bool {
    fatalError()
  }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSArray?) -> Array { fatalError() }
}

extension Dictionary: _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSDictionary { fatalError() }
  public static func _forceBridgeFromObjectiveC(_ source: NSDictionary, result: inout Dictionary?) {}
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSDictionary, result: inout Dictionary?
  ) -> Bool { fatalError() }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSDictionary?) -> Dictionary { fatalError() }
}

extension String: _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSString { fatalError() }
  public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout String?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout String?) -> Bool {
    fatalError()
  }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> String { fatalError() }
}

extension Data: _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSData { fatalError() }
  public static func _forceBridgeFromObjectiveC(_ source: NSData, result: inout Data?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSData, result: inout Data?) -> Bool {
    fatalError()
  }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSData?) -> Data { fatalError() }
}

extension Date: _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSDate { fatalError() }
  public static func _forceBridgeFromObjectiveC(_ source: NSDate, result: inout Date?) {}
  public static func _conditionallyBridgeFromObjectiveC(_ source: NSDate, result: inout Date?) -> Bool {
    fatalError()
  }
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSDate?) -> Date { fatalError() }
}

// MARK: Sessions

public final class URLSession: NSObject, @unchecked Sendable {
  public enum AuthChallengeDisposition: Int, Sendable {
    case useCredential
    case performDefaultHandling
    case cancelAuthenticationChallenge
    case rejectProtectionSpace
  }
}

public final class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
  public var protectionSpace: URLProtectionSpace { fatalError() }
}

public final class URLProtectionSpace: NSObject, @unchecked Sendable {
  public var host: String { fatalError() }
  public var port: Int { fatalError() }
  public var authenticationMethod: String { fatalError() }
  public func isProxy() -> Bool { fatalError() }
}

public final class URLCredential: NSObject, @unchecked Sendable {
  public enum Persistence: UInt, Sendable {
    case none
    case forSession
    case permanent
    case synchronizable
  }
}
