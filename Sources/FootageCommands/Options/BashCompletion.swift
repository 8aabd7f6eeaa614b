/// The script with which bash completes commands, options and files, made from the same descriptions that the help and
/// the parser use.
enum BashCompletion {
  static func script(_ commands: [Usage]) -> String {
    """
    # bash completion for footage
    _footage() {
      local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= folders= files= words=
      COMPREPLY=()
      if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W '\(commands.map(\.name).joined(separator: " ")) help --help --version' -- "$word")
        return
      fi
      case ${COMP_WORDS[1]} in
    \(commands.map(branch).joined(separator: "\n"))
        help) words='\(commands.map(\.name).joined(separator: " "))' ;;
      esac
      case " $folders " in *" $before "*) mapfile -t COMPREPLY < <(compgen -d -- "$word"); compopt -o filenames; return ;; esac
      case " $files " in *" $before "*) mapfile -t COMPREPLY < <(compgen -f -- "$word"); compopt -o filenames; return ;; esac
      case $word in
        -*) mapfile -t COMPREPLY < <(compgen -W "$options --help" -- "$word") ;;
        *)
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
          if [ "${#COMPREPLY[@]}" -eq 0 ]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            compopt -o filenames
          fi
          ;;
      esac
    }
    complete -F _footage footage

    """
  }

  private static func branch(_ usage: Usage) -> String {
    let options = usage.options.flatMap(labels)
    let folders = usage.options.filter { valueName($0) == "DIR" }.flatMap(labels)
    let files = usage.options.filter { valueName($0)?.contains("FILE") == true }.flatMap(labels)
    // For operands like `list|keep NAME…`, the verbs are completed, and the rest are files.
    let verbs = usage.operands.prefix { $0 != " " }.split(separator: "|")
    let words = verbs.count > 1 ? verbs.joined(separator: " ") : ""
    return """
          \(usage.name))
            options='\(options.joined(separator: " "))'
            folders='\(folders.joined(separator: " "))'
            files='\(files.joined(separator: " "))'
            words='\(words)'
            ;;
      """
  }

  private static func labels(_ option: Usage.Option) -> [String] {
    ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
  }

  private static func valueName(_ option: Usage.Option) -> String? {
    switch option.kind {
    case .flag, .attachedValue: nil
    case .value(let name, _), .optionalValue(let name): name
    }
  }
}
