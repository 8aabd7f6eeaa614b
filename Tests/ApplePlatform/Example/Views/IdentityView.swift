import FootageClient
import SwiftUI
import UniformTypeIdentifiers

/// A view that imports the certificate that the robots' operator has made for this device: `clients/NAME.p12`.
struct IdentityView: View {
  @Environment(PairedRobots.self) private var robots
  @Environment(\.dismiss) private var dismiss
  @State private var isImporting = false
  @State private var content: Data?
  @State private var passphrase = ""
  @State private var failure: String?

  var body: some View {
    NavigationStack {
      Form {
        Button("Choose a file", systemImage: content == nil ? "doc.badge.plus" : "checkmark.seal") {
          isImporting = true
        }
        SecureField("Passphrase", text: $passphrase)
        if let failure { Label(failure, systemImage: "exclamationmark.triangle").foregroundStyle(.orange) }
      }
      .navigationTitle("Certificate")
      .toolbar {
        ToolbarItem(placement: .confirmationAction) { Button("Use") { use() }.disabled(content == nil) }
      }
      .fileImporter(isPresented: $isImporting, allowedContentTypes: [.pkcs12]) { read($0) }
    }
  }

  private func read(_ choice: Result<URL, any Error>) {
    do {
      let file = try choice.get()
      // The file is outside of the folders that the app may read.
      guard file.startAccessingSecurityScopedResource() else { return }
      defer { file.stopAccessingSecurityScopedResource() }
      content = try Data(contentsOf: file)
    } catch { failure = error.localizedDescription }
  }

  /// Uses the identity. The app shows it only to robots that this device is paired with.
  private func use() {
    guard let content else { return }
    robots.identity = .pkcs12(content, passphrase: passphrase)
    dismiss()
  }
}
