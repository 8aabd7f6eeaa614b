/// A structure that gets another stored property. The script replaces the comment below with it.
package struct Layout: Sendable {
  // another property
  package var first = 1

  package init() {}
}
