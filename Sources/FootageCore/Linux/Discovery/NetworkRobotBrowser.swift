internal import Synchronization

/// A browser for Linux. It asks this machine's own Avahi. If Avahi is not running, or knows no robots, it asks the
/// network itself.
public struct NetworkRobotBrowser: RobotBrowser {
  private let avahi: any RobotBrowser
  private let multicast: any RobotBrowser

  /// Creates a browser. Nothing is asked yet.
  public init() { self.init(avahi: AvahiBrowser(), multicast: MulticastBrowser()) }

  /// - Parameters:
  ///   - avahi: asked at once, and again some time after it has failed.
  ///   - multicast: asked as well, once `avahi` has failed, or has reported no robot for some time.
  package init(avahi: any RobotBrowser, multicast: any RobotBrowser) {
    self.avahi = avahi
    self.multicast = multicast
  }

  /// The time for which Avahi may report no robot before the network itself is asked. Avahi answers at once with what
  /// it knows.
  private static let patience = Duration.milliseconds(300)
  /// The pause until Avahi is asked again, after it was not running.
  private static let pause = Duration.seconds(10)

  public func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError) {
    let merger = Merger(onChange)
    let outcome = await withTaskGroup(of: Result<Void, DiscoveryError>.self) { group in
      group.addTask {
        while !Task.isCancelled {
          // The reason why Avahi does not answer is irrelevant: it does not have to be running.
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

  /// The combined robots of both sources.
  private final class Merger: Sendable {
    private struct State {
      var heard: [Source: [AnnouncedRobot]] = [:]
      var told: [AnnouncedRobot] = []
    }

    private let state = Mutex(State())
    private let onChange: @Sendable ([AnnouncedRobot]) -> Void
    /// A stream with an element each time that Avahi reports no robots, and one at the start.
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
        // The handler is called under the lock, so that changes are reported in order.
        onChange(all)
      }
      if source == .avahi, robots.isEmpty { empty.yield() }
    }
  }
}
