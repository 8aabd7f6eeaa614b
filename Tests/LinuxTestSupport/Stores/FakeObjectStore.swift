import Foundation

/// A store with the S3 API in memory, on a port of the loopback. It behaves as real stores do, and a test can have it
/// lie, fail or die at any request.
///
/// It does not verify signatures, as real engines do. It does check that a request has one, whose it is, for which
/// moment it was made, and that the body is the one that was signed.
package final class FakeObjectStore: @unchecked Sendable {
  package static let bucket = "recordings"
  package static let accessKey = "robot"
  package static let secret = "the robot's secret"

  package let port: UInt16
  /// All requests that it received, in order, each with its outcome.
  package let requests = EventLog<Request>()
  /// One event for each connection that was made.
  package let connections = EventLog<Void>()
  private let identity: ServerMaterial?
  private let lock = NSLock()
  private var listener: BlockingSocket?
  private var open: [ObjectIdentifier: BlockingSocket] = [:]
  private var contents = StoreContents()
  private var script: @Sendable (Request) -> Fault? = { _ in nil }
  private var count = 0
  private let received = EventLog<Int>()

  /// - Parameter identity: the certificate that the store shows over TLS; nil for plain HTTP.
  package init(identity: ServerMaterial? = nil) throws {
    self.identity = identity
    let listener = try BlockingSocket(listeningOn: HeldPort.next())
    port = listener.port
    accept(on: listener)
  }

  deinit { kill() }

  /// Returns `https://127.0.0.1:PORT/BUCKET/PREFIX`.
  package func address(_ prefix: String = "") -> String {
    "\(identity == nil ? "http" : "https")://127.0.0.1:\(port)/\(Self.bucket)/\(prefix)"
  }

  // MARK: A test's view and orders

  /// The number of bytes that have arrived over all connections, in heads and bodies, decrypted.
  package var receivedByteCount: Int { received.all.reduce(0, +) }

  /// Calls a closure with the store's contents, which it may examine and change.
  package func withContents<Result>(_ body: (inout StoreContents) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&contents) }
  }

  /// Asks the script for the fate of each request from now on, after its head was read. If it returns nil, the request
  /// proceeds normally.
  package func play(_ script: @escaping @Sendable (Request) -> Fault?) { lock.withLock { self.script = script } }

  /// Ends the store at once, as `kill -9` would: connections break, and callers are refused. The contents are kept.
  package func kill() {
    let (listener, open) = lock.withLock {
      defer { (self.listener, self.open) = (nil, [:]) }
      return (self.listener, Array(self.open.values))
    }
    listener?.shutDown()
    for socket in open { socket.shutDown() }
  }

  /// Starts again on the same port with the same contents.
  package func restart() throws { accept(on: try BlockingSocket(listeningOn: port)) }

  // MARK: Connections

  private func accept(on listener: BlockingSocket) {
    lock.withLock { self.listener = listener }
    Thread.detachNewThread { [weak self] in
      while let socket = listener.accept() {
        guard let self, self.admit(socket) else { return }
        Thread.detachNewThread { [weak self, received, identity = self.identity] in
          if let wire = StoreWire(socket, identity, received) { while let self, self.serve(wire) {} }
          socket.shutDown()
          self?.dismiss(socket)
        }
      }
    }
  }

  private func admit(_ socket: BlockingSocket) -> Bool {
    lock.withLock {
      guard listener != nil else { return false }
      open[ObjectIdentifier(socket)] = socket
      connections.append(())
      return true
    }
  }

  private func dismiss(_ socket: BlockingSocket) {
    lock.withLock { _ = open.removeValue(forKey: ObjectIdentifier(socket)) }
  }

  /// Serves one request.
  ///
  /// - Returns: true if the connection continues.
  private func serve(_ wire: StoreWire) -> Bool {
    guard let head = wire.readHead(), var request = Request(head) else { return false }
    let fault = lock.withLock {
      request.number = count
      count += 1
      return script(request)
    }
    switch fault {
    case .closeBefore:
      requests.append(request)
      return false
    case .hang:
      requests.append(request)
      return wire.waitForEnd()
    case .closeInBody(let byteCount):
      _ = wire.readBody(min(byteCount, request.contentLength), of: request)
      requests.append(request)
      return false
    case .answerAtOnce(let answer):
      requests.append(request)
      _ = wire.send(answer, to: request, bodyUpTo: .max)
      return wire.waitForEnd()
    default: break
    }
    guard let body = wire.readBody(request.contentLength, of: request) else { return false }
    request.body = body
    var answer = fault?.insteadOfDoing ?? lock.withLock { contents.answer(request) }
    fault?.change(&answer)
    requests.append(request)
    if case .closeAfter? = fault { return false }
    return wire.send(answer, to: request, bodyUpTo: fault?.bodyLimit ?? .max)
  }
}

extension FakeObjectStore {
  package enum Operation: String, Sendable, CaseIterable {
    case head, get, put, delete, list, createUpload, uploadPart, listParts, listUploads, completeUpload, abortUpload
  }

  /// A request that the store received.
  package struct Request: Sendable {
    /// The number of the request, counted from 0 over all connections.
    package fileprivate(set) var number = 0
    package let method: String
    /// The target, not decoded.
    package let target: String
    package let bucket: String
    /// The key; empty for a request to the bucket itself.
    package let key: String
    package let query: [String: String]
    /// The fields, by their names in lower case.
    package let fields: [String: String]
    package fileprivate(set) var body: [UInt8] = []

    /// - Parameter head: the head with its line ends. The result is nil if it is not a request.
    fileprivate init?(_ head: String) {
      let lines = head.components(separatedBy: "\r\n")
      let words = lines[0].components(separatedBy: " ")
      guard words.count == 3 else { return nil }
      (method, target) = (words[0], words[1])
      let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
      let path = parts[0].dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map {
        $0.removingPercentEncoding ?? ""
      }
      (bucket, key) = (path[0], path.count > 1 ? path[1] : "")
      var query: [String: String] = [:]
      for pair in parts.count > 1 ? parts[1].components(separatedBy: "&") : [] {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
          $0.removingPercentEncoding ?? ""
        }
        query[sides[0]] = sides.count > 1 ? sides[1] : ""
      }
      self.query = query
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      self.fields = fields
    }

    /// The length of the body, in bytes.
    package var contentLength: Int { fields["content-length"].flatMap { Int($0) } ?? 0 }

    package var operation: Operation? {
      switch (method, query["uploadId"] != nil) {
      case ("HEAD", _): .head
      case ("GET", true): .listParts
      case ("GET", false): query["uploads"] != nil ? .listUploads : key.isEmpty ? .list : .get
      case ("PUT", true): .uploadPart
      case ("PUT", false): .put
      case ("POST", true): .completeUpload
      case ("POST", false): query["uploads"] == nil ? nil : .createUpload
      case ("DELETE", true): .abortUpload
      case ("DELETE", false): .delete
      default: nil
      }
    }
  }

  /// An answer of the store.
  package struct Answer: Sendable {
    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// The length that `Content-Length` claims; nil for the length of the body.
    package var claimedLength: Int?

    package init(_ status: Int, _ fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
      self.status = status
      self.fields = fields
      self.body = body
    }

    package static func error(_ status: Int, _ code: String) -> Answer {
      Answer(
        status, [("Content-Type", "application/xml")],
        body: Array(
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>no</Message></Error>".utf8))
    }
  }

  /// The way in which a request goes wrong.
  package enum Fault: Sendable {
    /// The request is not executed, and gets this answer.
    case answer(Answer)
    /// The request gets this answer before its body was read, and the connection ends.
    case answerAtOnce(Answer)
    /// The request is executed, and its answer is falsified.
    case lie(@Sendable (inout Answer) -> Void)
    /// The connection ends before the request is executed.
    case closeBefore
    /// The connection ends after this number of bytes of the request's body. The request is not executed.
    case closeInBody(Int)
    /// The request is executed, and the connection ends before any answer.
    case closeAfter
    /// The request is executed, and the connection ends after this number of bytes of the answer's body.
    case cutOff(Int)
    /// The request is neither executed nor answered while the connection exists.
    case hang

    package static func error(_ status: Int, _ code: String) -> Fault { .answer(.error(status, code)) }

    /// Returns a fault that answers 200 with an error in the body.
    package static func errorInside(_ code: String) -> Fault {
      .answer(Answer(200, body: Answer.error(200, code).body))
    }

    package static func redirect(to location: String) -> Fault { .answer(Answer(307, [("Location", location)])) }

    fileprivate var insteadOfDoing: Answer? { if case .answer(let answer) = self { answer } else { nil } }

    fileprivate func change(_ answer: inout Answer) { if case .lie(let change) = self { change(&answer) } }

    fileprivate var bodyLimit: Int { if case .cutOff(let count) = self { count } else { .max } }
  }
}
