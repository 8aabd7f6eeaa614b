@_exported public import CoreGraphics
@_exported public import Foundation
@_exported public import Observation

/// Declarations alone, as Apple documents them: what is written with them is type-checked, and shows nothing.
@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("a view without a body has none") }
}

/// A view that draws itself.
public protocol DrawnView: View where Body == Never {}

extension DrawnView {
  public var body: Never { fatalError("a view without a body has none") }
}

public struct EmptyView: DrawnView {
  public init() {}
}

public struct TupleView<Content>: DrawnView {
  init(_ content: Content) {}
}

public struct ConditionalContent<True: View, False: View>: DrawnView {
  init() {}
}

public struct Group<Content: View>: DrawnView {
  public init(@ViewBuilder content: () -> Content) {}
}

extension Optional: View where Wrapped: View {
  public typealias Body = Never
  public var body: Never { fatalError("a view without a body has none") }
}

@resultBuilder
@MainActor @preconcurrency
public struct ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)>
  {
    TupleView((repeat each content))
  }
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<True: View, False: View>(first: True) -> ConditionalContent<True, False> {
    ConditionalContent()
  }
  public static func buildEither<True: View, False: View>(second: False) -> ConditionalContent<True, False> {
    ConditionalContent()
  }
}
