/// `footage`: one command line for the robot's side and the app's.

internal import FootageSystem

StandardStreams.reserve()
Process.exit(Terminal.exitCode(after: Footage.run(Array(CommandLine.arguments.dropFirst()))).rawValue)
