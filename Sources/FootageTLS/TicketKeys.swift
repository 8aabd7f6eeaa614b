/// The keys by which session tickets are locked (RFC 5077 §4): each makes tickets for the most of a day, opens them
/// until the day is over, and is wiped then.

internal import CFootageOpenSSL
internal import Synchronization
internal import FootageSystem

/// Shared by all loops, and by a context with the one that takes over from it.
final class TicketKeys: Sendable {
  /// How long a key is used, from when it was made.
  struct Lifetime: Sendable {
    /// To make tickets.
    var making: Duration
    /// To open them; longer by as long as a session is good.
    var opening: Duration

    static let day = Lifetime(making: .seconds(22 * 3_600), opening: .seconds(24 * 3_600))
  }

  /// How long a session can be resumed.
  static let sessionSeconds = 2 * 3_600

  private struct State {
    var current: Key
    var previous: Key?
  }

  private struct Key {
    let secret: TicketSecret
    /// Since some moment in the past.
    let birth: Duration
  }

  private let state: Mutex<State>
  private let lifetime: Lifetime
  private let clock: Clock

  init(lifetime: Lifetime = .day, clock: Clock = .system) throws(TLSError) {
    self.lifetime = lifetime
    self.clock = clock
    state = Mutex(State(current: Key(secret: try TicketSecret.make(), birth: .nanoseconds(clock.uptimeNanoseconds))))
  }

  /// Nobody can set it.
  private var now: Duration { .nanoseconds(clock.uptimeNanoseconds) }

  /// Puts a new key in the place of one that has had its time, and wipes the one before. Called now and then: a server
  /// that nobody visits keeps no old key either.
  func rotate() {
    let now = now
    state.withLock { rotate(&$0, now) }
  }

  private func rotate(_ state: inout State, _ now: Duration) {
    if let previous = state.previous, now - previous.birth >= lifetime.opening { state.previous = nil }
    // Without a new key the old one has to go on.
    guard now - state.current.birth >= lifetime.making, let secret = try? TicketSecret.make() else { return }
    state.previous = now - state.current.birth < lifetime.opening ? state.current : nil
    state.current = Key(secret: secret, birth: now)
  }

  /// What new tickets are made with.
  var current: TicketSecret {
    let now = now
    return state.withLock { state in
      rotate(&state, now)
      return state.current.secret
    }
  }

  /// What a ticket of this name opens with, and whether the client should get a new one.
  func secret(named name: UnsafeRawBufferPointer) -> (secret: TicketSecret, isOld: Bool)? {
    let now = now
    return state.withLock { state in
      rotate(&state, now)
      if unsafe state.current.secret.isNamed(name) { return (state.current.secret, false) }
      if let previous = state.previous, unsafe previous.secret.isNamed(name) { return (previous.secret, true) }
      return nil
    }
  }
}

/// A name, a key for AES-256 and one for HMAC-SHA-256. Written once when it is made, only read then, and wiped at the
/// end: that makes `@unchecked Sendable` true.
@safe
final class TicketSecret: @unchecked Sendable {
  static let nameByteCount = 16
  private static let keyByteCount = 32
  private static let byteCount = nameByteCount + 2 * keyByteCount

  private let bytes: UnsafeMutableRawBufferPointer

  private init() { unsafe bytes = .allocate(byteCount: Self.byteCount, alignment: 16) }

  deinit {
    unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    unsafe bytes.deallocate()
  }

  /// - Throws: `TLSError.configuration` where the system gives no random bytes.
  static func make() throws(TLSError) -> TicketSecret {
    ErrorQueue.clear()
    let secret = TicketSecret()
    let isRandom = SessionDecoding.withKeys {
      unsafe RAND_priv_bytes(secret.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(byteCount)) == 1
    }
    guard isRandom else { throw .configuration(ErrorQueue.drain()) }
    return secret
  }

  private func part(_ start: Int, _ count: Int) -> UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + count)])
  }

  private var name: UnsafeMutableRawBufferPointer { unsafe part(0, Self.nameByteCount) }
  private var cipherKey: UnsafeMutableRawBufferPointer { unsafe part(Self.nameByteCount, Self.keyByteCount) }
  private var macKey: UnsafeMutableRawBufferPointer {
    unsafe part(Self.nameByteCount + Self.keyByteCount, Self.keyByteCount)
  }

  func isNamed(_ other: UnsafeRawBufferPointer) -> Bool { unsafe name.elementsEqual(other) }

  /// Prepares to lock a ticket: writes the key's name and a fresh initialization vector.
  func lock(
    name target: UnsafeMutableRawBufferPointer, vector: UnsafeMutablePointer<UInt8>, _ cipher: OpaquePointer,
    _ mac: OpaquePointer
  ) -> Bool {
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(name))
    let method = unsafe TicketCipher.shared
    let key = unsafe cipherKey.baseAddress?.assumingMemoryBound(to: UInt8.self)
    return unsafe RAND_bytes(vector, EVP_CIPHER_get_iv_length(method)) == 1
      && EVP_EncryptInit_ex2(cipher, method, key, vector, nil) == 1 && prepare(mac)
  }

  /// Prepares to open one.
  func open(vector: UnsafePointer<UInt8>, _ cipher: OpaquePointer, _ mac: OpaquePointer) -> Bool {
    unsafe EVP_DecryptInit_ex2(
      cipher, TicketCipher.shared, cipherKey.baseAddress?.assumingMemoryBound(to: UInt8.self), vector, nil) == 1
      && prepare(mac)
  }

  private func prepare(_ mac: OpaquePointer) -> Bool {
    unsafe copenssl_set_mac_key(mac, macKey.baseAddress, macKey.count) == 1
  }
}

/// The cipher that protects session tickets.
private enum TicketCipher {
  /// AES-256 in CBC, got once; it lives as long as the process. Safe to share because it never changes.
  nonisolated(unsafe) static let shared: OpaquePointer? = unsafe EVP_CIPHER_fetch(
    OSSL_LIB_CTX_get0_global_default(), "AES-256-CBC", nil)
}

extension TicketKeys {
  /// Has a context's tickets locked by these keys.
  ///
  /// Safe because the context holds the keys until its `SSL_CTX` is freed.
  func install(in context: OpaquePointer) throws(TLSError) {
    guard unsafe SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque()) == 1,
      unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(context, Self.callback) == 1
    else { throw .configuration(ErrorQueue.drain()) }
    _ = unsafe SSL_CTX_set_timeout(context, CLong(Self.sessionSeconds))
  }

  /// man 3 SSL_CTX_set_tlsext_ticket_key_evp_cb. A handshake that runs has a library without any ciphers for its
  /// thread's default (`SessionDecoding`).
  private static let callback:
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, OpaquePointer?, OpaquePointer?, CInt
    ) -> CInt = { ssl, name, vector, cipher, mac, makes in
      guard let ssl = unsafe ssl, let name = unsafe name, let vector = unsafe vector, let cipher = unsafe cipher,
        let mac = unsafe mac, let data = unsafe SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0)
      else { return -1 }
      let keys = unsafe Unmanaged<TicketKeys>.fromOpaque(data).takeUnretainedValue()
      let nameBytes = unsafe UnsafeMutableRawBufferPointer(start: name, count: TicketSecret.nameByteCount)
      return SessionDecoding.withKeys {
        guard makes == 0 else {
          // An empty ticket, which none can be resumed with.
          if let check = unsafe ClientVerifier.of(ssl), unsafe !check.mayHaveTicket(ssl) { return 0 }
          return unsafe keys.current.lock(name: nameBytes, vector: vector, cipher, mac) ? 1 : -1
        }
        guard let (secret, isOld) = unsafe keys.secret(named: UnsafeRawBufferPointer(nameBytes)) else { return 0 }
        guard unsafe secret.open(vector: vector, cipher, mac) else { return -1 }
        return isOld ? 2 : 1
      }
    }
}
