#!/usr/bin/env bash
# The Debian packages of a build, by CPack: what they hold runs, and what they depend on was found by dpkg-shlibdeps.
# That apt installs them where there is no compiler, `scripts/package check deb` shows.
#   check_deb.sh BUILD
set -euo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cd "$1"
cpack -G DEB -B "$scratch" -D "CPACK_COMPONENTS_ALL=runtime;c" >"$scratch/log" 2>&1 || {
  cat "$scratch/log"
  exit 1
}
packages=("$scratch"/cuesta_*.deb "$scratch"/libcuesta-c*.deb)
for package in "${packages[@]}"; do
  depends=$(dpkg-deb --field "$package" Depends)
  printf '%s: %s\n' "$(basename -- "$package")" "$depends"
  [[ $depends == *libc6* && $depends == *libtbb* ]]
  dpkg-deb --extract "$package" "$scratch/root"
done
"$scratch/root/usr/bin/cuesta" --version
"$scratch/root/usr/bin/cuesta" list operations >/dev/null
if [[ -x $1/cli/cuesta-bench ]]; then
  PATH=/usr/bin:/bin "$scratch/root/usr/bin/cuesta" bench model --explain convolve:tiled --gpu-model p5000 >/dev/null
fi
for name in cuesta libcuesta-c1; do
  grep -q 'Apache License' "$scratch/root/usr/share/doc/$name/copyright"
done
# A name with the number of the ABI.
find "$scratch/root/usr/lib" -name 'libcuesta_c.so.1' | grep -q .
# What each is made of.
shared=libfmt,libhwy,libtbb,libstdc++
python3 "$here/check_sbom.py" --needs "$shared,libcli11,nlohmann-json,libtomlplusplus,libcpp-httplib-dev,libvips" \
  "$scratch/root/usr/share/sbom/cuesta.cdx.json" "$scratch/root/usr/bin"/*
python3 "$here/check_sbom.py" --needs "$shared" "$scratch/root/usr/share/sbom/libcuesta-c1.cdx.json" \
  "$(find "$scratch/root/usr/lib" -name 'libcuesta_c.so.1')"
# Nothing knows where it was built.
! grep -rq --binary-files=text --fixed-strings "$1" "$scratch/root/usr"
