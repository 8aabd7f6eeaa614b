internal import FootageHTTP

/// Takes the body of one request out of what has come (RFC 9112 §6). No input or output: it is fed, and says what to
/// do.
struct RequestBodyReader {
  enum Step: Hashable {
    /// At least one byte.
    case bytes([UInt8])
    /// The body is whole; what is left in the inbox is the next request's.
    case end
    /// All that came is taken.
    ///
    /// - sendsContinue: whether the client waits to hear that it may send the body; said once.
    case needsMore(sendsContinue: Bool)
  }

  private enum Rest {
    case none
    /// So many bytes are to come, at least 1.
    case length(UInt64)
    case chunked(ChunkedBodyDecoder)
    /// Where the body ends cannot be told any more.
    case lost(MessageRefusal)
  }

  private var rest: Rest
  /// Whether the client waits for 100, and has sent nothing since.
  private(set) var isAwaited: Bool
  /// Of the body's own bytes, how many were taken.
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

  /// Whether nothing of the body is left.
  var isWhole: Bool { if case .none = rest { true } else { false } }

  /// Why nothing more of it is taken.
  var refusal: MessageRefusal? { if case .lost(let refusal) = rest { refusal } else { nil } }

  /// Takes as much of the body as the inbox has.
  ///
  /// - Parameters:
  ///   - inbox: what came behind the head, or behind what was taken before.
  ///   - limit: of the whole body, in bytes.
  /// - Throws: `MessageRefusal`: `contentTooLarge` where the body is, or says that it is, larger than the limit; what
  ///   breaks the chunked coding. From then on there is nothing but that to be had.
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

  /// Takes what the inbox holds of a chunked body out of it.
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
