internal import Synchronization
internal import FootageSystem

/// A transport that reports how each request went, while there is a listener.
struct MeasuredTransport: MediaTransport {
  private let transport: any MediaTransport
  private let clock: Clock
  private let metrics: EventSource<RequestMetrics>

  init(_ transport: any MediaTransport, _ clock: Clock, telling metrics: EventSource<RequestMetrics>) {
    self.transport = transport
    self.clock = clock
    self.metrics = metrics
  }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    guard metrics.isHeard else { return try await transport.open(request) }
    let start = clock.uptime
    do throws(TransportFailure) {
      var response = try await transport.open(request)
      response.body = MeasuredBody(
        response.body,
        RequestMetrics(
          target: request.target, range: request.range, status: response.status,
          timeToConnection: response.connectedAfter, timeToAnswer: clock.uptime - start, duration: .zero),
        since: start, clock, metrics)
      return response
    } catch {
      metrics.send(
        RequestMetrics(
          target: request.target, range: request.range, duration: clock.uptime - start, outcome: .failed(error)))
      throw error
    }
  }

  func prepare() async { await transport.prepare() }
}

/// A body that reports how much of it arrived: once, at its end or when it is dropped.
private final class MeasuredBody: MediaBody {
  private let body: any MediaBody
  private let start: Duration
  private let clock: Clock
  private let source: EventSource<RequestMetrics>
  /// The metrics so far; nil once they are reported.
  private let metrics: Mutex<RequestMetrics?>

  init(
    _ body: any MediaBody, _ metrics: RequestMetrics, since start: Duration, _ clock: Clock,
    _ source: EventSource<RequestMetrics>
  ) {
    self.body = body
    self.start = start
    self.clock = clock
    self.source = source
    self.metrics = Mutex(metrics)
  }

  deinit { tell(.abandoned) }

  func next() async throws(TransportFailure) -> [UInt8]? {
    do throws(TransportFailure) {
      guard let bytes = try await body.next() else {
        tell(.complete)
        return nil
      }
      metrics.withLock { $0?.receivedBytes += UInt64(bytes.count) }
      return bytes
    } catch {
      tell(error == .cancelled ? .abandoned : .failed(error))
      throw error
    }
  }

  private func tell(_ outcome: RequestMetrics.Outcome) {
    let told = metrics.withLock { metrics -> RequestMetrics? in
      defer { metrics = nil }
      return metrics
    }
    guard var told else { return }
    told.duration = clock.uptime - start
    told.outcome = outcome
    source.send(told)
  }
}
