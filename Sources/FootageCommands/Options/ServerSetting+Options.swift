internal import FootageServer
internal import FootageSystem

/// The settings of `footage serve`, for `footage doctor`.
extension ServerSetting {
  /// Returns the settings with which a server was started, by its command line, its environment, or their defaults.
  static func all(_ arguments: ParsedArguments) -> [ServerSetting] {
    ServeCommand.usage.options.map { option in
      let origin: String?
      switch arguments.origin(of: option.name) {
      case .commandLine: origin = "the server's command line"
      case .environment(let variable): origin = variable.name
      case .standard: origin = nil
      }
      var value = arguments[option.name]
      if case .flag = option.kind { value = arguments.flag(option.name) ? on : off }
      let isStandard = value == standard(option)
      // The reader may be in another working directory.
      if case .value("DIR", _) = option.kind { value = value.map { (try? FileTree.canonical($0)) ?? $0 } }
      return ServerSetting(option: option.name, value: value, origin: origin, isStandard: isStandard)
    }
  }

  /// Returns the settings of the service if the package is installed, or else those of a server that this process would
  /// start.
  ///
  /// - Parameter environment: looks up a variable of this process.
  static func all(_ service: ServiceDefaults, _ environment: (String) -> String?) -> [ServerSetting] {
    ServeCommand.usage.options.map { option in
      let found = variable(of: option, service, environment)
      var value = found?.value ?? standard(option)
      if case .flag = option.kind, let found {
        value = SwitchText.read(found.value).map { $0 ? on : off } ?? found.value
      }
      return ServerSetting(
        option: option.name, value: value, origin: found.map { "\($0.name) in \($0.place)" },
        isStandard: value == standard(option))
    }
  }

  /// Returns the setting of a running server. If the service sets its variable, the place where the service sets it is
  /// added.
  func placed(by service: ServiceDefaults) -> ServerSetting {
    guard let origin, let variable = service.variable(origin) else { return self }
    var placed = self
    placed.origin = "\(origin) in \(variable.place)"
    return placed
  }

  private static let on = "on"
  private static let off = "off"

  private static func standard(_ option: Usage.Option) -> String? {
    switch option.kind {
    case .flag: off
    case .value(_, let value): value
    case .optionalValue, .attachedValue: nil
    }
  }

  /// Returns messages about invalid switches. A value that is neither on nor off keeps the server from starting.
  static func unfitSwitches(_ service: ServiceDefaults, _ environment: (String) -> String?) -> [String] {
    ServeCommand.usage.options.compactMap { option in
      guard case .flag = option.kind, let found = variable(of: option, service, environment),
        SwitchText.read(found.value) == nil
      else { return nil }
      return "\(SwitchText.words(found.name, found.value)) (\(found.place))"
    }
  }

  private static func variable(
    of option: Usage.Option, _ service: ServiceDefaults, _ environment: (String) -> String?
  ) -> (name: String, value: String, place: String)? {
    for name in option.environmentNames {
      if let variable = service.variable(name) { return (name, variable.value, variable.place) }
    }
    guard service.all.isEmpty else { return nil }
    for name in option.environmentNames {
      if let value = environment(name), !value.isEmpty { return (name, value, "this environment") }
    }
    return nil
  }
}
