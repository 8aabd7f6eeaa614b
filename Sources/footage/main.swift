internal import FootageCommands

Footage.main()
