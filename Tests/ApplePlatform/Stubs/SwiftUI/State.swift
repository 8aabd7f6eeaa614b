@propertyWrapper
public struct State<Value> {
  private let stored: Value

  public init(wrappedValue value: Value) { stored = value }
  public init(initialValue value: Value) { stored = value }

  public var wrappedValue: Value {
    get { stored }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { Binding { stored } }
}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
  private let read: () -> Value

  init(_ read: @escaping () -> Value) { self.read = read }

  public var wrappedValue: Value {
    get { read() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { self }

  public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding<Subject> { wrappedValue[keyPath: path] }
  }
}

@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value> {
  public var wrappedValue: Value
  public var projectedValue: Bindable<Value> { self }

  /// Apple's takes what is Observable alone, as this one's other.
  @available(*, unavailable, message: "the wrapped value must be an object that conforms to Observable")
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  private init(value: Value) { wrappedValue = value }
}

extension Bindable where Value: AnyObject & Observable {
  public init(wrappedValue: Value) { self.init(value: wrappedValue) }
  public init(_ wrappedValue: Value) { self.init(value: wrappedValue) }

  public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding<Subject> { wrappedValue[keyPath: path] }
  }
}

@propertyWrapper
public struct Environment<Value> {
  private let read: () -> Value

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { EnvironmentValues()[keyPath: keyPath] } }

  public var wrappedValue: Value { read() }
}

extension Environment where Value: AnyObject & Observable {
  public init(_ objectType: Value.Type) { read = { fatalError("there is no environment") } }
}

public struct EnvironmentValues {
  public var dismiss: DismissAction { DismissAction() }
}

@MainActor @preconcurrency
public struct DismissAction {
  nonisolated init() {}
  public func callAsFunction() {}
}
