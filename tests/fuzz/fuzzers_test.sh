#!/usr/bin/env bash
# Builds every libFuzzer target with clang under the address and undefined behaviour sanitizers, and runs each from its kept corpus.
#
#     fuzzers_test.sh SOURCE_DIR WORK_DIR [SECONDS]        seconds for each target; unless told, 60 for reading messages and 4 for the others
#
# Ends with 77 (left out) where clang is not installed. A target that fails leaves its input in WORK_DIR/failed and prints how to run it again.
set -euo pipefail
source_dir=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
seconds=${3:-}
if ! command -v clang++ >/dev/null; then
  echo "clang++ is not installed, so the fuzzers are left out"
  exit 77
fi
mkdir -p "$work/found" "$work/failed"

# Of the undefined behaviour sanitizer what is cheap to build; the address sanitizer sees null and wild pointers, and gcc's builds check the rest.
sanitizers=address,bounds,shift,signed-integer-overflow,integer-divide-by-zero,enum,bool,float-cast-overflow,unreachable,return
echo "building the fuzzers"
log="$work/build.log"
{ cmake -S "$source_dir" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DTURNSTONE_FUZZERS=ON -DTURNSTONE_SANITIZE="$sanitizers" &&
  cmake --build "$work/build" --target fuzzers --parallel 2; } >"$log" 2>&1 || { tail -30 "$log"; echo "the build failed, see $log"; exit 1; }

run() {  # TARGET SECONDS CORPUS [OPTION…]
  local target=$1 time=${seconds:-$2} corpus=$source_dir/$3
  shift 3
  mkdir -p "$work/found/$target"
  local kept
  kept=$(find "$corpus" -type f | wc -l)
  if [[ $kept -eq 0 ]]; then echo "$target: $corpus holds no corpus"; exit 1; fi
  if ! "$work/build/$target" -max_total_time="$time" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$work/failed/$target-" -print_final_stats=1 \
      "$@" "$work/found/$target" "$corpus" >"$work/$target.log" 2>&1; then
    grep -aE 'ERROR|runtime error|SUMMARY|Test unit written|^[a-z].*state' "$work/$target.log" | head -20
    echo "$target failed, see $work/$target.log; again with: $work/build/$target $(grep -ao "$work/failed/[^ ]*" "$work/$target.log" | tail -1)"
    exit 1
  fi
  echo "$target: $kept kept inputs, $(grep -a 'stat::number_of_executed_units' "$work/$target.log" | grep -o '[0-9]*$') tried, nothing found"
}

run decode_fuzz 4 events/fuzz/corpus/decode -max_len=4096
run snapshot_fuzz 4 events/fuzz/corpus/snapshot -max_len=4096
run frame_fuzz 4 engine/bus/fuzz/corpus -max_len=16384
run request_fuzz 4 engine/gateway/fuzz/corpus -max_len=2048
run script_fuzz 4 tools/chat/fuzz/corpus -max_len=2048
run reading_fuzz 60 tests/fuzz/corpus -max_len=1024
