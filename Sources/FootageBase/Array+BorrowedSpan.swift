extension Array {
  /// The elements, without a copy. `Array.span` does the same, but only iOS 26, macOS 26 and later have it, and apps
  /// run on earlier systems, too.
  @inlinable
  package var borrowedSpan: Span<Element> {
    @_lifetime(borrow self)
    get {
      let slice = self[...]
      // Safe because the slice shares the array's storage, which lives as long as the array is borrowed. An array of
      // Swift's own always has such storage; no array here comes from Objective-C.
      return unsafe _overrideLifetime(slice.span, borrowing: self)
    }
  }
}
