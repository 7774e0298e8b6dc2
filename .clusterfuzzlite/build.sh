#!/usr/bin/env bash
# Builds every fuzz target into $OUT with its seeds, as ClusterFuzzLite and OSS-Fuzz ask. They set SRC, OUT,
# WORK, CXX, CXXFLAGS and LIB_FUZZING_ENGINE. Shared libraries are copied to $OUT/lib. scripts/fuzz runs it, too.
#
#   build.sh [CMAKE-OPTIONS]
#   build.sh --built BUILD      takes the targets of a finished build
set -euo pipefail
if [[ ${SRC:-} ]]; then cd "$SRC/cuesta"; else cd "$(dirname -- "$0")/.."; fi
targets=()
for source in fuzz/*.cpp; do
  targets+=("fuzz_$(basename -- "$source" .cpp)")
done

if [[ ${1:-} == --built ]]; then
  build=$2
else
  build=$WORK/cuesta-fuzz
  options=("$@")
  if [[ ${CXXFLAGS:-} == *-fsanitize=* ]]; then
    # The sanitizer comes with the flags. The distribution's libraries are built on libstdc++.
    export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/}"
    options+=(-D "CUESTA_SANITIZE=" -D CUESTA_WERROR=OFF)
  fi
  cmake --preset asan -B "$build" -D CMAKE_CXX_COMPILER="$CXX" -D CUESTA_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" \
    -D CUESTA_PICTURES=ON -D CUESTA_VIDEO=ON -D CUESTA_MQTT=ON -D CUESTA_TUNE=ON -D CUESTA_BENCH=OFF -D CUESTA_TESTS=OFF \
    "${options[@]}"
  cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}"
fi

mkdir -p "$OUT/lib"
for target in "${targets[@]}"; do
  cp --link "$build/fuzz/$target" "$OUT/" 2>/dev/null || cp "$build/fuzz/$target" "$OUT/"
  # The C library is the runner's.
  ldd "$OUT/$target" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -vE '/(ld-linux[^/]*|lib(c|m|mvec|dl|pthread|rt|resolv|util|anl))\.so' |
    xargs --no-run-if-empty cp --dereference --no-clobber --target-directory "$OUT/lib"
  python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "fuzz/corpus/${target#fuzz_}"/*
done
