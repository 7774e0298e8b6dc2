#!/usr/bin/env bash
# The folder of `scripts/package folder`, moved elsewhere, runs with nothing but the C library of the machine.
#   check_bundle.sh BUILD
set -euo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$here/../../scripts/package" folder --output "$scratch/made" "$1"
mv "$scratch/made" "$scratch/moved here"
cd /
unset LD_LIBRARY_PATH

binary="$scratch/moved here/bin/cuesta"
outside=$(ldd "$binary" | awk '$2 == "=>" { print $3 }' | grep -v "^$scratch/moved" |
  grep -vE '/(ld-linux.*|libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil)\.so' || true)
if [[ -n $outside ]] || ldd "$binary" | grep -q 'not found'; then
  echo "found outside the folder, or not at all:"
  ldd "$binary" | grep -v "$scratch" || true
  exit 1
fi
"$binary" --version
"$binary" list operations
if [[ -x $1/cli/cuesta-bench ]]; then
  PATH=/usr/bin:/bin "$binary" bench model --explain convolve:tiled --gpu-model p5000 >/dev/null
fi
# Every library that travels, and all that they load, is in the bill of materials.
python3 "$here/../deb/check_sbom.py" --needs libcli11 "$scratch/moved here/share/sbom/cuesta.cdx.json" "$binary" \
  "$scratch/moved here/lib"/*
