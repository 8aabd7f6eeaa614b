#if canImport(Network)
  public import FootageCore
  internal import Dispatch
  internal import Network

  /// Looks for robots by Bonjour. The app's Info.plist has to have `NSBonjourServices` with `_footage._tcp`, and
  /// `NSLocalNetworkUsageDescription`.
  public struct NetworkBrowser: RobotBrowser {
    /// Nothing is asked yet.
    public init() {}

    private static let type = "_footage._tcp"

    public func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError) {
      let browser = NWBrowser(for: .bonjourWithTXTRecord(type: Self.type, domain: nil), using: NWParameters.tcp)
      let (outcomes, outcome) = AsyncStream.makeStream(
        of: Result<Void, DiscoveryError>.self, bufferingPolicy: .bufferingNewest(1))
      browser.stateUpdateHandler = { state in
        switch state {
        case .failed(let error): outcome.yield(.failure(.unavailable("\(error)")))
        // It waits for the person to allow it, for ever where that was refused.
        case .waiting(.dns(let code)) where code == kDNSServiceErr_PolicyDenied: outcome.yield(.failure(.notAllowed))
        case .cancelled: outcome.yield(.success(()))
        default: break
        }
      }
      browser.browseResultsChangedHandler = { results, _ in
        onChange(AnnouncedRobot.merged(results.compactMap { Self.robot($0) }))
      }
      browser.start(queue: DispatchQueue(label: "footage.discovery"))
      defer { browser.cancel() }
      // Ends with the task, too.
      for await result in outcomes { return try result.get() }
    }
  }
#endif
