/// The box tree of any bytes: each box is inside its parent, after the previous box.

internal import FootageBase
internal import FootageMedia

enum BoxTree {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let inspection = Inspection.of(MemoryByteSource(bytes))
    try expect(inspection.length == UInt64(bytes.count), "the length is \(inspection.length)")
    try check(inspection.boxes, in: 0..<inspection.length)
    try expect(!inspection.text.isEmpty, "there is nothing to read")
    var json = JSONWriter()
    inspection.write(json: &json)
    try expect(!json.bytes.isEmpty, "there is no JSON")
  }

  private static func check(_ nodes: [Inspection.Node], in parent: Range<UInt64>) throws(Finding) {
    var end = parent.lowerBound
    for node in nodes {
      let (nodeEnd, overflow) = node.offset.addingReportingOverflow(node.size)
      try expect(node.offset >= end, "box \(node.type) at \(node.offset) begins in the one before it")
      // A box that claims too much is shown with its claim and its fault.
      if node.fault == nil || !node.children.isEmpty {
        try expect(!overflow && nodeEnd <= parent.upperBound, "box \(node.type) at \(node.offset) leaves its parent")
        try check(node.children, in: node.offset..<nodeEnd)
      }
      end = overflow ? .max : nodeEnd
    }
  }
}
