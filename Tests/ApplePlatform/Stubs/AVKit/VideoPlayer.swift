@_exported public import AVFoundation
public import SwiftUI

public struct VideoPlayer<VideoOverlay: View>: View {
  public init(player: AVPlayer?, @ViewBuilder videoOverlay: () -> VideoOverlay) {}
  public var body: Never { fatalError("a view without a body has none") }
}

extension VideoPlayer where VideoOverlay == EmptyView {
  public init(player: AVPlayer?) {}
}
