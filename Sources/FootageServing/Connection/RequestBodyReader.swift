internal import FootageHTTP

/// A reader that extracts the body of one request from the received bytes (RFC 9112 §6). It does no input or output
/// itself.
struct RequestBodyReader {
  enum Step: Hashable {
    /// The next bytes, at least one.
    case bytes([UInt8])
    /// The body is complete. The rest of the inbox belongs to the next request.
    case end
    /// All bytes that have arrived were returned, and more are needed.
    ///
    /// - sendsContinue: true if the client waits for permission to send the body. It is true only once.
    case needsMore(sendsContinue: Bool)
  }

  private enum Rest {
    case none
    /// This many bytes are outstanding, at least 1.
    case length(UInt64)
    case chunked(ChunkedBodyDecoder)
    /// The body is invalid, so that its end cannot be determined.
    case lost(MessageRefusal)
  }

  private var rest: Rest
  /// True if the client waits for status 100 and has sent nothing since.
  private(set) var isAwaited: Bool
  /// The number of the body's own bytes that were returned.
  private(set) var byteCount: UInt64 = 0

  init(_ framing: BodyFraming, expectsContinue: Bool = false) {
    isAwaited = expectsContinue
    rest =
      switch framing {
      case .none: .none
      case .length(let length): .length(length)
      case .chunked: .chunked(ChunkedBodyDecoder())
      }
  }

  /// True if the body is complete.
  var isWhole: Bool { if case .none = rest { true } else { false } }

  /// The reason why the body was refused; nil if it was not.
  var refusal: MessageRefusal? { if case .lost(let refusal) = rest { refusal } else { nil } }

  /// Removes the bytes of the body from the inbox and returns them.
  ///
  /// - Parameters:
  ///   - inbox: the bytes that follow the head, without those that earlier calls removed.
  ///   - limit: the limit of the whole body, in bytes.
  /// - Throws: `MessageRefusal`: `contentTooLarge` if the body is larger than the limit, or its head states that;
  ///   another reason if it breaks the chunked coding. After that, every call throws the same error.
  mutating func next(_ inbox: inout [UInt8], upTo limit: UInt64) throws(MessageRefusal) -> Step {
    switch rest {
    case .none: return .end
    case .lost(let refusal): throw refusal
    case .length(let length):
      guard byteCount <= limit, length <= limit - byteCount else { throw tooLarge(limit) }
      guard !inbox.isEmpty else { return needsMore() }
      let count = Int(min(UInt64(inbox.count), length))
      let bytes = count == inbox.count ? inbox : Array(inbox[..<count])
      inbox = count == inbox.count ? [] : Array(inbox[count...])
      rest = UInt64(count) == length ? .none : .length(length - UInt64(count))
      return took(bytes)
    case .chunked(var decoder):
      let bytes: [UInt8]
      do throws(MessageRefusal) { bytes = try Self.chunks(&inbox, &decoder) } catch {
        rest = .lost(error)
        throw error
      }
      rest = decoder.isComplete ? .none : .chunked(decoder)
      guard UInt64(bytes.count) <= limit, byteCount <= limit - UInt64(bytes.count) else { throw tooLarge(limit) }
      if !bytes.isEmpty { return took(bytes) }
      return decoder.isComplete ? .end : needsMore()
    }
  }

  private mutating func took(_ bytes: [UInt8]) -> Step {
    isAwaited = false
    byteCount += UInt64(bytes.count)
    return .bytes(bytes)
  }

  private mutating func needsMore() -> Step {
    defer { isAwaited = false }
    return .needsMore(sendsContinue: isAwaited)
  }

  private mutating func tooLarge(_ limit: UInt64) -> MessageRefusal {
    let refusal = MessageRefusal(.contentTooLarge, at: Int(clamping: limit))
    rest = .lost(refusal)
    return refusal
  }

  /// Removes the part of a chunked body that is in the inbox and returns its bytes.
  private static func chunks(
    _ inbox: inout [UInt8], _ decoder: inout ChunkedBodyDecoder
  ) throws(MessageRefusal) -> [UInt8] {
    let received = inbox
    var bytes: [UInt8] = []
    var position = 0
    while true {
      switch try decoder.next(received.span, from: position) {
      case .data(let range):
        bytes += received[range]
        position = range.upperBound
      case .needsMore:
        inbox = []
        return bytes
      case .end(let end):
        inbox = Array(received[end...])
        return bytes
      }
    }
  }
}
