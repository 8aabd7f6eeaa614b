package import FootageCore

/// Stands in for the product's module of this name, which needs a server: addresses at which nobody listens.
extension Playback {
  package func playerLink() throws(MediaCacheError) -> String { "http://127.0.0.1:9/token/recording.mp4" }
  package func filmLink() throws(MediaCacheError) -> String { "http://127.0.0.1:9/token/recordings/recording.m3u8" }
}

extension CameraPlayback {
  package func filmLink() throws(MediaCacheError) -> String { "http://127.0.0.1:9/token/cameras/camera.m3u8" }
}
