/// A picture; this one knows its size alone.
public final class CGImage {
  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int

  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}
