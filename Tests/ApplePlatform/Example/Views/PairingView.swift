import FootageClient
import SwiftUI

/// A view that asks before it pairs. A person who has scanned a console's code has compared the key by doing so.
struct PairingView: View {
  let link: PairingLink
  @Environment(PairedRobots.self) private var robots
  @Environment(\.dismiss) private var dismiss
  @State private var attempt = 0
  @State private var failure: String?

  var body: some View {
    NavigationStack {
      Form {
        LabeledContent("Robot", value: link.name)
        LabeledContent("Address", value: link.addresses.map(\.description).joined(separator: ", "))
        Section {
          Text(verbatim: link.pin.description).font(.footnote).textSelection(.enabled)
        } header: {
          Text("Its key")
        }
        if let failure { Label(failure, systemImage: "exclamationmark.shield").foregroundStyle(.red) }
        if attempt > 0, failure == nil { ProgressView("Looking for the robot") }
      }
      .navigationTitle("Pair")
      .toolbar {
        ToolbarItem(placement: .cancellationAction) { Button("Cancel", role: .cancel) { dismiss() } }
        ToolbarItem(placement: .confirmationAction) { Button("Pair") { attempt += 1 } }
      }
      .task(id: attempt) { await pair() }
    }
  }

  private func pair() async {
    guard attempt > 0 else { return }
    failure = nil
    do {
      try await robots.pair(with: link)
      dismiss()
    } catch { failure = error.localizedDescription }
  }
}

/// A view for a link that a person has as text. The device's own camera app reads a QR code and opens this app.
struct LinkEntryView: View {
  @Environment(PairedRobots.self) private var robots
  @Environment(\.dismiss) private var dismiss
  @State private var text = ""

  var body: some View {
    NavigationStack {
      Form {
        Section {
          Label("Point the camera at the code that “footage pair --qr” shows on the robot.", systemImage: "qrcode")
        }
        Section("Or type what stands below the code") {
          TextField("footage:pair?…", text: $text)
        }
      }
      .navigationTitle("Pair with a robot")
      .toolbar {
        ToolbarItem(placement: .cancellationAction) { Button("Cancel", role: .cancel) { dismiss() } }
        ToolbarItem(placement: .confirmationAction) {
          Button("Next") {
            dismiss()
            robots.scan(text)
          }
        }
      }
    }
  }
}
