# shellcheck shell=bash
# What the scripts share. Sourced, never run.

# shellcheck disable=SC2034 # the scripts that source this use it
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

# One checkout's objects serve another: to ccache a path below the root is the same wherever the root is.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=true

say() { printf '%s\n' "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

# Runs a command as root: directly, or with sudo.
as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "'$1' must run as root, and there is no sudo"
  fi
}

jobs() { nproc; }
