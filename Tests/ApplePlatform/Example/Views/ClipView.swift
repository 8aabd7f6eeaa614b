import FootageClient
import SwiftUI

/// A view that cuts some seconds out of the open recording, without its robot if they are on this device.
struct ClipView: View {
  let playback: Playback
  /// The player's position when the view opened, in seconds.
  let position: Double
  @Environment(\.dismiss) private var dismiss
  @State private var picture: CGImage?
  @State private var seconds = 10.0
  @State private var cutting = 0
  @State private var clip: URL?
  @State private var failure: String?

  private static let lengths = [10.0, 30.0, 60.0]

  var body: some View {
    NavigationStack {
      Form {
        if let picture { Image(decorative: picture, scale: 1).resizable().scaledToFill() }
        Section("Length") {
          ForEach(Self.lengths, id: \.self) { length in
            Button(action: { (seconds, clip) = (length, nil) }) {
              Label("\(Int(length)) seconds", systemImage: seconds == length ? "checkmark.circle" : "circle")
            }
          }
        }
        if let failure { Label(failure, systemImage: "exclamationmark.triangle").foregroundStyle(.orange) }
        if let clip { ShareLink(item: clip) }
      }
      .navigationTitle("Clip")
      .toolbar {
        ToolbarItem(placement: .cancellationAction) { Button("Done", role: .cancel) { dismiss() } }
        ToolbarItem(placement: .confirmationAction) { Button("Cut") { cutting += 1 } }
      }
      .task { picture = try? await playback.keyFrameImage(at: position) }
      .task(id: cutting) { await cut() }
    }
  }

  private func cut() async {
    guard cutting > 0 else { return }
    failure = nil
    let file = URL.temporaryDirectory.appending(path: "Clip \(UUID().uuidString).mp4")
    do {
      try await playback.exportClip(seconds: position..<(position + seconds), to: file)
      clip = file
    } catch { failure = error.localizedDescription }
  }
}
