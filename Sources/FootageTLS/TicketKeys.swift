/// The keys that encrypt session tickets (RFC 5077 §4). Each one makes tickets for most of a day, opens them until the
/// day is over, and is then wiped.

internal import CFootageOpenSSL
internal import Synchronization
internal import FootageSystem

/// The ticket keys, which all loops share. A context also passes them on to the context that takes over from it.
final class TicketKeys: Sendable {
  /// The times for which a key is used, counted from its creation.
  struct Lifetime: Sendable {
    /// The time for which the key makes tickets.
    var making: Duration
    /// The time for which the key opens tickets. It is longer than `making` by the lifetime of a session.
    var opening: Duration

    static let day = Lifetime(making: .seconds(22 * 3_600), opening: .seconds(24 * 3_600))
  }

  /// The time in which a session can be resumed, in seconds.
  static let sessionSeconds = 2 * 3_600

  private struct State {
    var current: Key
    var previous: Key?
  }

  private struct Key {
    let secret: TicketSecret
    /// The uptime when the key was created.
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

  /// The uptime, which nobody can set, unlike the time of day.
  private var now: Duration { .nanoseconds(clock.uptimeNanoseconds) }

  /// Replaces a key that has expired, and wipes the key before it. Called from time to time, so that a server without
  /// visitors keeps no old key either.
  func rotate() {
    let now = now
    state.withLock { rotate(&$0, now) }
  }

  private func rotate(_ state: inout State, _ now: Duration) {
    if let previous = state.previous, now - previous.birth >= lifetime.opening { state.previous = nil }
    // If no new key can be made, the old one stays in use.
    guard now - state.current.birth >= lifetime.making, let secret = try? TicketSecret.make() else { return }
    state.previous = now - state.current.birth < lifetime.opening ? state.current : nil
    state.current = Key(secret: secret, birth: now)
  }

  /// The secret that encrypts new tickets.
  var current: TicketSecret {
    let now = now
    return state.withLock { state in
      rotate(&state, now)
      return state.current.secret
    }
  }

  /// Returns the secret that opens a ticket of this name, and true if the client should get a new ticket.
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

/// A name, a key for AES-256 and a key for HMAC-SHA-256. The bytes are written once at creation, only read afterwards,
/// and wiped at the end. That makes `@unchecked Sendable` true.
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

  /// - Throws: `TLSError.configuration` if the system provides no random bytes.
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

  /// Prepares to encrypt a ticket: writes the key's name and a fresh initialization vector.
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

  /// Prepares to decrypt a ticket.
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
  /// The cipher AES-256 in CBC mode, fetched once; it lives as long as the process. Safe to share because it never
  /// changes.
  nonisolated(unsafe) static let shared: OpaquePointer? = unsafe EVP_CIPHER_fetch(
    OSSL_LIB_CTX_get0_global_default(), "AES-256-CBC", nil)
}

extension TicketKeys {
  /// Makes a context encrypt its tickets with these keys.
  ///
  /// Safe because the context holds the keys until its `SSL_CTX` is freed.
  func install(in context: OpaquePointer) throws(TLSError) {
    guard unsafe SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque()) == 1,
      unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(context, Self.callback) == 1
    else { throw .configuration(ErrorQueue.drain()) }
    _ = unsafe SSL_CTX_set_timeout(context, CLong(Self.sessionSeconds))
  }

  /// The callback for encrypting and decrypting tickets (man 3 SSL_CTX_set_tlsext_ticket_key_evp_cb). While a handshake
  /// runs, the thread's default library has no ciphers (`SessionDecoding`).
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
          // An empty ticket, with which no session can be resumed.
          if let check = unsafe ClientVerifier.of(ssl), unsafe !check.mayHaveTicket(ssl) { return 0 }
          return unsafe keys.current.lock(name: nameBytes, vector: vector, cipher, mac) ? 1 : -1
        }
        guard let (secret, isOld) = unsafe keys.secret(named: UnsafeRawBufferPointer(nameBytes)) else { return 0 }
        guard unsafe secret.open(vector: vector, cipher, mac) else { return -1 }
        return isOld ? 2 : 1
      }
    }
}
