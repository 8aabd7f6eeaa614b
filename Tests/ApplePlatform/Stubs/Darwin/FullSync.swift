internal import Synchronization

/// The requests that disks received, and their refusals. Only the fake has this type; Darwin has nothing of that name.
public enum FullSync {
  private static let full = Atomic<Int>(0)
  private static let plain = Atomic<Int>(0)
  private static let refused = Atomic<Int32>(0)

  /// How often bytes were brought as far as they go.
  public static var count: Int {
    get { full.load(ordering: .relaxed) }
    set { full.store(newValue, ordering: .relaxed) }
  }

  /// How often they were left in the disk's own memory.
  public static var plainCount: Int {
    get { plain.load(ordering: .relaxed) }
    set { plain.store(newValue, ordering: .relaxed) }
  }

  /// The number that `F_FULLFSYNC` fails with; nil where it succeeds.
  public static var refusal: Int32? {
    get {
      let number = refused.load(ordering: .relaxed)
      return number == 0 ? nil : number
    }
    set { refused.store(newValue ?? 0, ordering: .relaxed) }
  }
}
