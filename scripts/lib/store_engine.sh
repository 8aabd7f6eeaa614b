# shellcheck shell=bash
# What the scripts that start a store on this machine's loopback have in common.

# cannot WORDS…: there is no such store here.
cannot() {
  echo "no object store: $*" >&2
  exit 69
}

# free_ports COUNT: prints so many ports that nobody listens on.
free_ports() {
  python3 - "$1" <<'PYTHON'
import socket, sys

sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in sockets))
PYTHON
}

# make_key DIR ACCESS-KEY SECRET: DIR/key, two lines, for its owner alone.
make_key() { (umask 077 && printf '%s\n' "$2" "$3" >"$1/key"); }

# end DIR SIGNAL: ends the processes of DIR/pids, and waits until they have.
end() {
  local pids pid
  mapfile -t pids <"$1/pids"
  kill "$2" "${pids[@]}" 2>/dev/null || true
  for pid in "${pids[@]}"; do while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done; done
  : >"$1/pids"
}

# command_of NAME ARGUMENT…: start DIR [PORT], stop DIR or kill DIR, the first of which is the calling script's `start`.
command_of() {
  local name=$1
  shift
  case $#:${1:-} in
    2:start | 3:start) start "$2" "${3:-}" ;;
    2:stop) end "$2" -TERM ;;
    2:kill) end "$2" -KILL ;;
    *) echo "usage: $name start DIR [PORT] | stop DIR | kill DIR" >&2; exit 64 ;;
  esac
}
