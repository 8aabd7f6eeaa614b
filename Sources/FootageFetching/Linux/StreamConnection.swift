internal import FootageServing
internal import FootageSystem
package import FootageTLS

/// A client's connection over a stream of the loop. Belongs to the loop's thread.
final class StreamConnection: ByteConnection {
  private let stream: Stream

  init(_ stream: Stream) { self.stream = stream }

  var clock: Clock { stream.loop.clock }

  var handedOverByteCount: UInt64 { stream.handedOverByteCount }

  func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError) -> Bool {
    do throws(StreamError) { return unsafe try stream.send(bytes) } catch { throw ConnectionError(error) }
  }

  func flush(idle: Duration) async throws(ConnectionError) {
    do throws(StreamError) { try await stream.flush(idle: idle) } catch { throw ConnectionError(error) }
  }

  func flushUntilReadable(idle: Duration) async throws(ConnectionError) -> Bool {
    do throws(StreamError) { return try await stream.flushUntilReadable(idle: idle) } catch {
      throw ConnectionError(error)
    }
  }

  func receive(
    until deadline: Deadline, _ body: (UnsafeRawBufferPointer) -> Void
  ) async throws(ConnectionError) -> Bool {
    do throws(StreamError) { return unsafe try await stream.receive(until: deadline, body) } catch {
      throw ConnectionError(error)
    }
  }

  func receiveNow(_ body: (UnsafeRawBufferPointer) -> Void) throws(ConnectionError) -> ReceivedBytes {
    do throws(StreamError) {
      return switch unsafe try stream.receiveNow(body) {
      case .lent: .lent
      case .closed: .closed
      case .wouldBlock: .wouldBlock
      }
    } catch { throw ConnectionError(error) }
  }

  func takeNews() -> Bool { stream.takeNews() }

  func expectBytes() { stream.expectBytes() }

  func close() { stream.close() }

  func abort() { stream.abort() }
}

extension StreamConnection: PlayerConnection {
  var turnByteCount: Int { stream.turnByteCount }

  func onEnd(_ action: (() -> Void)?) { stream.onHangUp(action) }

  func lingeringClose() async {
    let limits = TransportLimits()
    await stream.lingeringClose(until: clock.deadline(after: limits.lingering), dropping: limits.lingeringBytes)
  }
}

extension ConnectionError {
  /// Converts a stream's error to the type that all platforms share.
  init(_ error: StreamError) {
    self =
      switch error {
      case .disconnected(nil), .tls(.disconnected): .closed
      case .disconnected(let number?): .broken(number.description)
      case .unreachable(let number): .unreachable(number.description)
      case .deadlinePassed: .deadlinePassed
      case .aborted: .aborted
      case .peerDoesNotRead, .emptyRecordFlood, .handshakeTooLong: .misused(error.description)
      case .tls(let error): .tls(TLSFailure(error))
      }
  }
}

extension TLSFailure {
  /// Converts OpenSSL's error to the type that all platforms share.
  package init(_ error: TLSError) {
    self =
      switch error {
      case .trust(let failure): .trust(failure)
      case .identity(let failure): .identity(failure)
      case .connection(let reason): .connection(reason)
      default: .other(error.description)
      }
  }
}
