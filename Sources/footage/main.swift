/// `footage`: one command line for the robot's side and the app's.

internal import FootageSystem

Process.exit(Footage.run(Array(CommandLine.arguments.dropFirst())).rawValue)
