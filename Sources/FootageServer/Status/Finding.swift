package import FootageAPI

/// A finding of `footage doctor`.
package struct Finding: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case fine = "ok"
    case degraded = "look"
    case failing = "WRONG"
  }

  package let kind: Kind
  /// A sentence that states the problem and what to do.
  package let text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  package init(_ reason: HealthReport.Reason) {
    switch reason.status {
    case .ok: self.init(.fine, reason.text)
    case .degraded: self.init(.degraded, reason.text)
    case .failing: self.init(.failing, reason.text)
    }
  }

  /// The number of lines that fit on a screen with the prompt below.
  private static let lineLimit = 20

  /// Returns the findings as text, a line for each, the worst first, followed by a summary line.
  package static func text(_ findings: [Finding]) -> String {
    let order: [Kind] = [.failing, .degraded, .fine]
    let sorted = order.flatMap { kind in findings.filter { $0.kind == kind } }
    let shown = sorted.prefix(sorted.count < lineLimit ? lineLimit - 1 : lineLimit - 2)
    let width = order.map { $0.rawValue.utf8.count }.max() ?? 0
    var lines = shown.map { finding in
      let padding = String(repeating: " ", count: width - finding.kind.rawValue.utf8.count)
      return "\(finding.kind.rawValue)\(padding)  \(finding.text)"
    }
    if shown.count < sorted.count { lines.append("and \(sorted.count - shown.count) more") }
    let troubles = findings.count { $0.kind != .fine }
    lines.append(troubles == 0 ? "Nothing is wrong." : troubles == 1 ? "One thing to do." : "\(troubles) things to do.")
    return lines.joined(separator: "\n")
  }
}
