import FootageClient
import Foundation

/// Returns an error and its remedy as text for the person at the terminal.
func words(for error: any Error) -> String {
  var lines = [error.localizedDescription]
  if let advice = (error as? any LocalizedError)?.recoverySuggestion { lines.append(advice) }
  if let pins = comparedPins(of: error) {
    lines.append("The robot's:  \(pins.expected)")
    lines.append("Who answers:  \(pins.seen)")
  }
  return printable(lines.joined(separator: "\n"))
}

/// Returns both pins, if an impostor may have answered in the robot's place.
private func comparedPins(of error: any Error) -> (expected: String, seen: String)? {
  switch error {
  case RobotError.trust(let failure):
    (failure.expected.map { "\($0)" }.joined(separator: " or "), failure.seen?.description ?? "none that can be read")
  case RobotError.pairing(let error): comparedPins(of: error)
  case PairingError.pinChanged(_, let remembered, let seen):
    (remembered.map(\.description).joined(separator: " or "), seen.description)
  case RobotError.cache(let error): comparedPins(of: error)
  case MediaCacheError.refused(_, let error): comparedPins(of: error)
  case DownloadQueue.Failure.robot(let error): comparedPins(of: error)
  case DownloadQueue.Failure.cache(let error): comparedPins(of: error)
  default: nil
  }
}

/// Returns the progress of an open recording as text.
func words(for state: PlaybackState) -> String {
  switch state.activity {
  case .stalled: return "Waiting for the robot"
  case .retrying(let error, let attempt): return "Attempt \(attempt) failed: \(error.localizedDescription)"
  case .failed(let error): return words(for: error)
  case .idle, .loading: break
  }
  if state.isComplete { return "Plays without the robot" }
  if let problem = state.storageProblem {
    return "Playing, but not saved: \(MediaCacheError.file(problem).localizedDescription)"
  }
  let cached = state.cachedBytes.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
  return "\(size(cached)) of \(size(state.length)) are here"
}

/// Returns the progress of a download as text.
func words(for item: DownloadQueue.Item) -> String {
  switch item.state {
  case .waiting(.turn): "waiting its turn"
  case .waiting(.network): "waiting for a network"
  case .waiting(.robot), .waiting(.connection): "waiting for the robot"
  case .waiting(.queue), .paused: "paused"
  case .downloading: item.progress.map { percent($0) } ?? "starting"
  case .finished: "on this device"
  case .failed(let failure): printable(failure.localizedDescription)
  }
}

/// Returns the state of a recording as text, which shows if it can be played.
func words(for state: RobotRecording.State) -> String {
  switch state {
  case .ready: "ready"
  case .recording: "being recorded"
  case .refused(let reason): "refused: \(printable(reason))"
  case .other(let state): printable(state)
  }
}

func percent(_ progress: DownloadProgress) -> String {
  "\(progress.total == 0 ? 100 : progress.received * 100 / progress.total) %"
}

func size(_ bytes: UInt64) -> String { bytes < 1_000_000 ? "\(bytes / 1_000) kB" : "\(bytes / 1_000_000) MB" }

/// Returns text without characters that would control the terminal. Names and reasons come from a robot and may contain
/// anything.
func printable(_ text: String) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.map { scalar in
        let steers = scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        return steers && scalar != "\n" ? "\u{FFFD}" : scalar
      }))
}

/// Writes a note to standard error. Only a command's result goes to standard output.
func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

/// Writes a line to standard output at once, for a program that reads it from a pipe.
func tell(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
