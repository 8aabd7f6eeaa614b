/// A reference that its owner has handed over to whoever releases it. It is released exactly once, on any thread; that
/// makes it safe to send.
@safe
struct HandedOverReference<Object: AnyObject & Sendable>: @unchecked Sendable {
  private let object: Unmanaged<Object>

  /// - Parameter object: retained for this value.
  init(_ object: Unmanaged<Object>) { unsafe self.object = object }

  func release() { unsafe object.release() }
}
