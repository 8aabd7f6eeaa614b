// The structures that the stand-in for Darwin takes from Linux: for `scripts/tools/check/minimum.py`, which only type-checks.

public struct timespec {
  public init() { fatalError() }
  public init(tv_sec: Int, tv_nsec: Int) { fatalError() }
  public var tv_sec: Int
  public var tv_nsec: Int
}

public struct dirent {
  public init() { fatalError() }
  public var d_ino: UInt64
  public var d_type: UInt8
  public var d_name: (CChar, CChar)
}

public struct sigset_t {
  public init() { fatalError() }
}
