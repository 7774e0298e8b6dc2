#!/usr/bin/env bash
# Compiles a program with pkg-config alone, every warning an error, and runs it. PREFIX is the installed tree, which is
# moved first: its files may not know where they were installed.
#   pkg_config.sh COMPILER SOURCE PACKAGE
set -euo pipefail
compiler=$1 source=$2 package=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$PREFIX" "$scratch/moved"
file=$(find "$scratch/moved" -name "$package.pc")
export PKG_CONFIG_PATH=${file%/*}
read -ra flags < <(pkg-config --cflags --libs --static "$package")
"$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Werror "$source" "${flags[@]}" -o "$scratch/program"
[[ $(pkg-config --variable=prefix "$package") == *moved* ]]
"$scratch/program"
