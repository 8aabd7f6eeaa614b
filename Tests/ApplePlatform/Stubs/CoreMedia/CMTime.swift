/// A moment or a length: `value` ticks, of which `timescale` make a second.
public struct CMTime: Hashable, Sendable {
  public var value: Int64
  public var timescale: Int32

  public init(value: Int64, timescale: Int32) {
    self.value = value
    self.timescale = timescale
  }
}
