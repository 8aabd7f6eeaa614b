import Foundation

/// A store with the S3 API in memory, on a port of the loopback: as real ones behave, and as a test has it lie, fail or
/// die at any request.
///
/// It does not verify signatures, which real engines do; whether a request has one, whose, for which moment, and whether
/// the body is the one that was signed, it does.
package final class FakeObjectStore: @unchecked Sendable {
  package static let bucket = "recordings"
  package static let accessKey = "robot"
  package static let secret = "the robot's secret"

  package let port: UInt16
  /// All that it was asked for, in order, with what became of it.
  package let requests = EventLog<Request>()
  /// Each connection that was made.
  package let connections = EventLog<Void>()
  private let identity: ServerMaterial?
  private let lock = NSLock()
  private var listener: BlockingSocket?
  private var open: [ObjectIdentifier: BlockingSocket] = [:]
  private var contents = StoreContents()
  private var script: @Sendable (Request) -> Fault? = { _ in nil }
  private var count = 0
  private let received = EventLog<Int>()

  /// - Parameter identity: what it shows over TLS; nil for plain HTTP.
  package init(identity: ServerMaterial? = nil) throws {
    self.identity = identity
    let listener = try BlockingSocket(listeningOn: HeldPort.next())
    port = listener.port
    accept(on: listener)
  }

  deinit { kill() }

  /// `https://127.0.0.1:PORT/BUCKET/PREFIX`.
  package func address(_ prefix: String = "") -> String {
    "\(identity == nil ? "http" : "https")://127.0.0.1:\(port)/\(Self.bucket)/\(prefix)"
  }

  // MARK: What a test sees and says

  /// What has come over all connections, heads and bodies, decrypted, in bytes.
  package var receivedByteCount: Int { received.all.reduce(0, +) }

  /// What it has, to look at and to change.
  package func withContents<Result>(_ body: (inout StoreContents) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&contents) }
  }

  /// Has each request from now on asked what becomes of it, once its head was read; nil lets it be.
  package func play(_ script: @escaping @Sendable (Request) -> Fault?) { lock.withLock { self.script = script } }

  /// Ends at once, as by -9: connections break, and callers are refused. What it has, it keeps.
  package func kill() {
    let (listener, open) = lock.withLock {
      defer { (self.listener, self.open) = (nil, [:]) }
      return (self.listener, Array(self.open.values))
    }
    listener?.shutDown()
    for socket in open { socket.shutDown() }
  }

  /// Begins again on its port, with what it has.
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

  /// - Returns: whether the connection goes on.
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

  /// What it was asked for.
  package struct Request: Sendable {
    /// Counts from 0 over all connections.
    package fileprivate(set) var number = 0
    package let method: String
    /// Not decoded.
    package let target: String
    package let bucket: String
    /// Empty for the bucket.
    package let key: String
    package let query: [String: String]
    /// By their names in lower case.
    package let fields: [String: String]
    package fileprivate(set) var body: [UInt8] = []

    /// - Parameter head: with its lines' ends; nil where it is no request.
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

    /// In bytes.
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

  /// What it says.
  package struct Answer: Sendable {
    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// As `Content-Length` says; nil for the body's.
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

  /// What goes wrong with a request.
  package enum Fault: Sendable {
    /// It is not done, and answered so.
    case answer(Answer)
    /// It is answered so before its body was taken, and the connection ends.
    case answerAtOnce(Answer)
    /// It is done, and what is said of it is changed: a lie.
    case lie(@Sendable (inout Answer) -> Void)
    /// The connection ends before it is done.
    case closeBefore
    /// The connection ends when so many bytes of its body have come; it is not done.
    case closeInBody(Int)
    /// It is done, and the connection ends before anything is said.
    case closeAfter
    /// It is done, and the connection ends when so many bytes of the answer's body were sent.
    case cutOff(Int)
    /// Nothing is done or said for as long as the connection is there.
    case hang

    package static func error(_ status: Int, _ code: String) -> Fault { .answer(.error(status, code)) }

    /// A success that is none.
    package static func errorInside(_ code: String) -> Fault {
      .answer(Answer(200, body: Answer.error(200, code).body))
    }

    package static func redirect(to location: String) -> Fault { .answer(Answer(307, [("Location", location)])) }

    fileprivate var insteadOfDoing: Answer? { if case .answer(let answer) = self { answer } else { nil } }

    fileprivate func change(_ answer: inout Answer) { if case .lie(let change) = self { change(&answer) } }

    fileprivate var bodyLimit: Int { if case .cutOff(let count) = self { count } else { .max } }
  }
}
