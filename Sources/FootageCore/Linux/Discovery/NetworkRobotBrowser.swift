internal import Synchronization

/// Looks for robots on Linux: this machine's own Avahi is asked, and where that is not there, or knows none, the network
/// itself is.
public struct NetworkRobotBrowser: RobotBrowser {
  private let avahi: any RobotBrowser
  private let multicast: any RobotBrowser

  /// Nothing is asked yet.
  public init() { self.init(avahi: AvahiBrowser(), multicast: MulticastBrowser()) }

  /// - Parameters:
  ///   - avahi: is asked at once, and again some time after it has failed.
  ///   - multicast: is asked too from when `avahi` has failed, or has known nobody for some time.
  package init(avahi: any RobotBrowser, multicast: any RobotBrowser) {
    self.avahi = avahi
    self.multicast = multicast
  }

  /// Avahi answers at once what it knows; the network is not bothered before.
  private static let patience = Duration.milliseconds(300)
  /// Until Avahi, which was not there, is asked again.
  private static let pause = Duration.seconds(10)

  public func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError) {
    let merger = Merger(onChange)
    let outcome = await withTaskGroup(of: Result<Void, DiscoveryError>.self) { group in
      group.addTask {
        while !Task.isCancelled {
          // Why it does not answer is nobody's business: it need not be there.
          try? await avahi.browse { merger.take($0, from: .avahi) }
          merger.take([], from: .avahi)
          try? await Task.sleep(for: Self.pause)
        }
        return .success(())
      }
      group.addTask {
        for await _ in merger.emptied {
          try? await Task.sleep(for: Self.patience)
          if Task.isCancelled { break }
          if !merger.isEmpty(.avahi) { continue }
          do throws(DiscoveryError) { try await multicast.browse { merger.take($0, from: .multicast) } } catch {
            return .failure(error)
          }
        }
        return .success(())
      }
      let first = await group.next() ?? .success(())
      group.cancelAll()
      return first
    }
    try outcome.get()
  }

  private enum Source { case avahi, multicast }

  /// Puts together what both have heard.
  private final class Merger: Sendable {
    private struct State {
      var heard: [Source: [AnnouncedRobot]] = [:]
      var told: [AnnouncedRobot] = []
    }

    private let state = Mutex(State())
    private let onChange: @Sendable ([AnnouncedRobot]) -> Void
    /// Avahi knows nobody, as it does at first.
    let emptied: AsyncStream<Void>
    private let empty: AsyncStream<Void>.Continuation

    init(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) {
      self.onChange = onChange
      (emptied, empty) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
      empty.yield()
    }

    func isEmpty(_ source: Source) -> Bool { state.withLock { $0.heard[source]?.isEmpty ?? true } }

    func take(_ robots: [AnnouncedRobot], from source: Source) {
      state.withLock { state in
        state.heard[source] = robots
        let all = AnnouncedRobot.merged((state.heard[.avahi] ?? []) + (state.heard[.multicast] ?? []))
        guard all != state.told else { return }
        state.told = all
        // Within the lock, so that they are told in their order.
        onChange(all)
      }
      if source == .avahi, robots.isEmpty { empty.yield() }
    }
  }
}
