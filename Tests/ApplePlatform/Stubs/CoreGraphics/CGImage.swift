/// A picture; this one knows its size alone.
public final class CGImage {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}
