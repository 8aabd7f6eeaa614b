public import Foundation
public import Security

/// Network's `NWError`.
public enum NWError: Error, Equatable, Sendable {
  case posix(POSIXErrorCode)
  case dns(Int32)
  case tls(OSStatus)
  /// Since the SDK of iOS 26.
  case wifiAware(Int32)
}
