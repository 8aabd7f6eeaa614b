public protocol ShapeStyle: Sendable {}

public struct Color: DrawnView, ShapeStyle, Hashable {
  nonisolated init() {}

  public nonisolated static let accentColor = Color()
  public nonisolated static let black = Color()
  public nonisolated static let clear = Color()
  public nonisolated static let orange = Color()
  public nonisolated static let red = Color()
  public nonisolated static let secondary = Color()
  public nonisolated static let white = Color()

  public nonisolated func opacity(_ opacity: Double) -> Color { self }
}

public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
  public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
  public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
  public static var tertiary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
  public static var quaternary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}

extension ShapeStyle where Self == Color {
  public static var orange: Color { .orange }
  public static var red: Color { .red }
  public static var white: Color { .white }
}

public struct TintShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == TintShapeStyle {
  public static var tint: TintShapeStyle { TintShapeStyle() }
}

public struct Material: ShapeStyle {}

extension ShapeStyle where Self == Material {
  public static var regularMaterial: Material { Material() }
  public static var thinMaterial: Material { Material() }
}

@MainActor @preconcurrency
public protocol Shape: View, Sendable {}

extension Shape {
  public func fill<S: ShapeStyle>(_ content: S) -> some View { self }
}

public struct Rectangle: Shape, DrawnView {
  public nonisolated init() {}
}

public struct Capsule: Shape, DrawnView {
  public nonisolated init() {}
}

public struct RoundedRectangle: Shape, DrawnView {
  public nonisolated init(cornerRadius: CGFloat) {}
}

extension Shape where Self == RoundedRectangle {
  public static func rect(cornerRadius: CGFloat) -> RoundedRectangle { RoundedRectangle(cornerRadius: cornerRadius) }
}

extension Shape where Self == Capsule {
  public static var capsule: Capsule { Capsule() }
}

public struct Font: Hashable, Sendable {
  public static let largeTitle = Font()
  public static let title2 = Font()
  public static let headline = Font()
  public static let subheadline = Font()
  public static let footnote = Font()
  public static let caption = Font()

  public func monospacedDigit() -> Font { self }
}
