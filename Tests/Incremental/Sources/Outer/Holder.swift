@_exported import Inner

/// A structure whose layout depends on one of another module.
package struct Holder: Sendable {
  private var layout = Layout()
  package var last = "last"

  package init() {}

  package var first: Int { layout.first }
}
