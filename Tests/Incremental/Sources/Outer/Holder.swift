@_exported import Inner

/// A structure whose layout depends on a structure in another module.
package struct Holder: Sendable {
  private var layout = Layout()
  package var last = "last"

  package init() {}

  package var first: Int { layout.first }
}
