/// A structure that gets another stored property: the script writes it in place of the comment below.
package struct Layout: Sendable {
  // another property
  package var first = 1

  package init() {}
}
