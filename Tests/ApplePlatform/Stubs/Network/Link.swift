internal import CFootageOpenSSL
internal import Dispatch
internal import Foundation
internal import Glibc
internal import Security
internal import Synchronization

/// A connection's thread: it polls the socket and a pipe by which others wake it.
final class Link: @unchecked Sendable {
  enum Beginning: Sendable {
    case connecting(NWEndpoint)
    case accepted(Int32)
  }

  private enum Cancelling { case none, gracefully, atOnce }

  private struct State {
    var cancelling = Cancelling.none
    var isStarted = false
    var isOver = false
    var sends: [(bytes: Data, completion: NWConnection.SendCompletion)] = []
    var receives: [(limit: Int, completion: NWConnection.ReceiveCompletion)] = []
    var metadata: SecProtocolMetadata?
  }

  private let beginning: Beginning
  private let parameters: NWParameters
  private let state = Mutex(State())
  private let wakeUp = Sockets.pipe()

  // Set once, before the thread begins.
  private var queue = DispatchQueue.main
  private var report: @Sendable (NWConnection.State) -> Void = { _ in }

  // Of the thread.
  private var descriptor: Int32 = -1
  private var tls: FakeTLS?

  init(_ beginning: Beginning, _ parameters: NWParameters) {
    self.beginning = beginning
    self.parameters = parameters
    // OpenSSL writes without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    close(wakeUp.reading)
    close(wakeUp.writing)
  }

  var metadata: SecProtocolMetadata? { state.withLock { $0.metadata } }

  // MARK: From outside

  func start(on queue: DispatchQueue, _ report: @escaping @Sendable (NWConnection.State) -> Void) {
    let mayStart = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard mayStart else { return }
    self.queue = queue
    self.report = report
    Thread.detachNewThread { self.run() }
  }

  func send(_ bytes: Data, _ completion: NWConnection.SendCompletion) {
    let isOver = state.withLock { state in
      if !state.isOver { state.sends.append((bytes, completion)) }
      return state.isOver
    }
    if isOver { processed(completion, .posix(.ECANCELED)) } else { wake() }
  }

  func receive(upTo limit: Int, _ completion: @escaping NWConnection.ReceiveCompletion) {
    let isOver = state.withLock { state in
      if !state.isOver { state.receives.append((limit, completion)) }
      return state.isOver
    }
    if isOver { queue.async { completion(nil, nil, false, .posix(.ECANCELED)) } } else { wake() }
  }

  func cancel(isForced: Bool) {
    state.withLock { $0.cancelling = isForced || $0.cancelling == .atOnce ? .atOnce : .gracefully }
    wake()
  }

  private func wake() {
    var byte: UInt8 = 1
    _ = Glibc.write(wakeUp.writing, &byte, 1)
  }

  // MARK: The thread

  /// The connection's end.
  private enum Ending: Error {
    case cancelled
    /// It never was, and may come to be.
    case waiting(NWError)
    case failed(NWError)
  }

  private func run() {
    say(.preparing)
    do throws(Ending) {
      try connect()
      try greet()
      say(.ready)
      while true {
        let isSending = try sendQueued()
        let isWanted = try receiveWanted()
        if state.withLock({ $0.cancelling == .gracefully && $0.sends.isEmpty }) {
          tls?.shutDown()
          throw .cancelled
        }
        try wait(isWanted ? POLLIN : 0, isSending ? POLLOUT : 0)
      }
    } catch {
      end(error)
    }
  }

  /// Waits until the person allows access, while the system's question is unanswered or was denied.
  private func waitForPermission() throws(Ending) {
    guard FakeNetwork.deniesLocalNetwork else { return }
    say(.waiting(.posix(.ENETDOWN)))
    while FakeNetwork.deniesLocalNetwork {
      guard state.withLock({ $0.cancelling == .none }) else { throw .cancelled }
      Thread.sleep(forTimeInterval: 0.01)
    }
    say(.preparing)
  }

  private func say(_ state: NWConnection.State) { queue.async { [report] in report(state) } }

  private func end(_ ending: Ending) {
    if case .waiting(let error) = ending {
      say(.waiting(error))
      // Until somebody gives it up.
      while state.withLock({ $0.cancelling == .none }) { _ = poll(0) }
    }
    let (sends, receives, isForced) = state.withLock { state in
      state.isOver = true
      defer { (state.sends, state.receives) = ([], []) }
      return (state.sends, state.receives, state.cancelling == .atOnce)
    }
    var error = NWError.posix(.ECANCELED)
    if case .failed(let cause) = ending { error = cause }
    for send in sends { processed(send.completion, error) }
    for receive in receives { queue.async { [error] in receive.completion(nil, nil, false, error) } }
    if descriptor >= 0 {
      if isForced { Sockets.resetOnClose(descriptor) }
      close(descriptor)
    }
    tls = nil
    if case .failed(let cause) = ending { say(.failed(cause)) }
    say(.cancelled)
  }

  private func processed(_ completion: NWConnection.SendCompletion, _ error: NWError?) {
    guard case .contentProcessed(let done) = completion else { return }
    queue.async { done(error) }
  }

  private func connect() throws(Ending) {
    guard case .connecting(let endpoint) = beginning else {
      if case .accepted(let descriptor) = beginning { self.descriptor = descriptor }
      return
    }
    try waitForPermission()
    guard FakeNetwork.allows(parameters) else { throw .waiting(.posix(.ENETDOWN)) }
    let (host, port) = endpoint.place
    let addresses = ResolvedAddress.all(host.text, port.rawValue)
    // kDNSServiceErr_NoSuchRecord
    guard !addresses.isEmpty else { throw .waiting(.dns(-65_554)) }
    var number = ECONNREFUSED
    for address in addresses {
      descriptor = Sockets.connecting(to: address)
      guard descriptor >= 0 else {
        number = errno
        continue
      }
      try wait(0, POLLOUT)
      number = Sockets.error(of: descriptor)
      if number == 0 {
        if parameters.tcp.noDelay { Sockets.noDelay(descriptor) }
        return
      }
      close(descriptor)
      descriptor = -1
    }
    throw .waiting(.posix(POSIXErrorCode(rawValue: number) ?? .EIO))
  }

  private func greet() throws(Ending) {
    guard let options = parameters.tls, case .connecting(let endpoint) = beginning else { return }
    let tls = FakeTLS(options.securityProtocolOptions, descriptor, endpoint)
    self.tls = tls
    while true {
      switch tls.handshake() {
      case .done:
        state.withLock { $0.metadata = tls.metadata }
        return
      case .wantsToRead: try wait(POLLIN, 0)
      case .wantsToWrite: try wait(0, POLLOUT)
      case .failed(let status): throw .waiting(FakeNetwork.callsRefusalsResets ? .posix(.ECONNRESET) : .tls(status))
      }
    }
  }

  /// - Returns: whether something is left.
  private func sendQueued() throws(Ending) -> Bool {
    while let next = state.withLock({ $0.sends.first }) {
      let count = next.bytes.isEmpty ? 0 : try write(next.bytes)
      guard let count else { return true }
      let isWhole = count == next.bytes.count
      state.withLock { state in
        if isWhole { state.sends.removeFirst() } else { state.sends[0].bytes = Data(next.bytes.dropFirst(count)) }
      }
      if isWhole { processed(next.completion, nil) }
    }
    return false
  }

  /// - Returns: nil where the socket takes nothing just now.
  private func write(_ bytes: Data) throws(Ending) -> Int? {
    if let tls {
      switch tls.write(bytes) {
      case .success(let count): return count
      case .failure(let failure): throw .failed(.tls(failure.status))
      }
    }
    let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if count >= 0 { return count }
    guard errno == EAGAIN || errno == EINTR else { return try broken() }
    return nil
  }

  /// Completes the sends that can no longer be sent with the error, and delivers any bytes that arrived before it.
  private func broken() throws(Ending) -> Int? {
    let error = NWError.posix(POSIXErrorCode(rawValue: errno) ?? .EIO)
    let (sends, receive) = state.withLock { state in
      defer { state.sends = [] }
      return (state.sends, state.receives.first)
    }
    for send in sends { processed(send.completion, error) }
    guard let receive, let bytes = try? read(receive.limit), !bytes.isEmpty else { throw .failed(error) }
    state.withLock { _ = $0.receives.removeFirst() }
    queue.async { receive.completion(bytes, nil, false, nil) }
    return nil
  }

  /// - Returns: whether somebody waits for bytes.
  private func receiveWanted() throws(Ending) -> Bool {
    while let next = state.withLock({ $0.receives.first }) {
      guard let bytes = try read(next.limit) else { return true }
      state.withLock { _ = $0.receives.removeFirst() }
      queue.async { next.completion(bytes.isEmpty ? nil : bytes, .defaultMessage, bytes.isEmpty, nil) }
      // Nothing comes behind an end.
      guard !bytes.isEmpty else {
        let rest = state.withLock { state in
          defer { state.receives = [] }
          return state.receives
        }
        for receive in rest { queue.async { receive.completion(nil, nil, true, nil) } }
        return false
      }
    }
    return false
  }

  /// - Returns: empty at the end; nil where nothing has come.
  private func read(_ limit: Int) throws(Ending) -> Data? {
    var buffer = [UInt8](repeating: 0, count: limit)
    if let tls {
      switch tls.read(into: &buffer) {
      case .success(let count): return count.map { Data(buffer[..<$0]) }
      case .failure(let failure): throw .failed(.tls(failure.status))
      }
    }
    let count = recv(descriptor, &buffer, limit, 0)
    if count >= 0 { return Data(buffer[..<count]) }
    guard errno == EAGAIN || errno == EINTR else {
      throw .failed(.posix(POSIXErrorCode(rawValue: errno) ?? .EIO))
    }
    return nil
  }

  private func wait(_ reading: Int32, _ writing: Int32) throws(Ending) {
    guard state.withLock({ $0.cancelling != .atOnce }) else { throw .cancelled }
    let cancelling = poll(reading | writing)
    guard cancelling != .atOnce else { throw .cancelled }
  }

  private func poll(_ events: Int32) -> Cancelling {
    var polled = [
      pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0),
      pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0),
    ]
    Glibc.poll(&polled, 2, -1)
    if polled[1].revents != 0 {
      var bytes = [UInt8](repeating: 0, count: 64)
      while Glibc.read(wakeUp.reading, &bytes, 64) > 0 {}
    }
    return state.withLock { $0.cancelling }
  }
}
