#!/usr/bin/env bash
# The same conversation is decided alike by every build of the pure core: gcc release, gcc debug and clang.
#
#     compilers_test.sh TURNSTONE SOURCE_DIR WORK_DIR
#
# Records conversations with TURNSTONE over two small generated catalogues (and over fashion50k where the shared
# data lies beside the sources or in $TURNSTONE_SHARED), builds the target replay_core with each compiler, and replays
# the recordings with each. A build that cannot be made for want of its compiler is named and left out.
set -euo pipefail
turnstone=$1
source_dir=$2
work=$3
shared=${TURNSTONE_SHARED:-$source_dir/../shared}
mkdir -p "$work"
rm -rf "$work/sessions"
mkdir "$work/sessions"

build() {  # NAME COMPILER BUILD_TYPE
  local log="$work/$1.log"
  if ! command -v "$2" >/dev/null; then
    echo "$1: $2 is not installed, so this build is left out"
    return
  fi
  echo "$1: building replay_core"
  { cmake -S "$source_dir" -B "$work/$1" -G Ninja -DCMAKE_CXX_COMPILER="$2" -DCMAKE_BUILD_TYPE="$3" -DTURNSTONE_TESTS=OFF &&
    cmake --build "$work/$1" --target replay_core --parallel 2; } >"$log" 2>&1 || { tail -30 "$log"; echo "$1: the build failed, see $log"; exit 1; }
  builds+=("$1")
}

record() {  # NAME CATALOGUE SCRIPT
  "$turnstone" index "$2" --out "$work/sessions/$1.index" >/dev/null
  "$turnstone" chat --index "$work/sessions/$1.index" --ledger "$work/sessions/$1.ledger" --script "$3" --json >"$work/sessions/$1.replies"
  if grep '"error"' "$work/sessions/$1.replies"; then echo "$1: a line of the script was refused"; exit 1; fi
  "$turnstone" replay --ledger "$work/sessions/$1.ledger" --index "$work/sessions/$1.index" --save "$work/sessions/$1.recording" >/dev/null
  recordings+=("$1")
}

script() {  # MESSAGES FILE: two sessions, one of each policy
  : >"$2"
  for policy in shopper benchmark; do
    while IFS= read -r message; do
      printf '{"session": "%s", "message": "%s", "policy": "%s"}\n' "$policy" "$message" "$policy" >>"$2"
    done <<<"$1"
  done
}

expect() {  # EXIT_CODE WHAT COMMAND…
  local wanted=$1 what=$2 code=0
  shift 2
  "$@" >"$work/sessions/output" 2>&1 || code=$?
  if [[ $code -ne $wanted ]]; then
    cat "$work/sessions/output"
    echo "$what: exit code $code instead of $wanted"
    exit 1
  fi
}

builds=()
build gcc-release g++ Release
build gcc-debug g++ Debug
build clang-release clang++ Release

script "I need a jacket for women under \$90
cotton or linen would be nice
make it black
no, blue instead of black
anything but polyester
I do not care about the brand
what else have you got
the second one but cheaper
forget that, I want running shoes size 9
for my brother, 4 stars and up" "$work/sessions/clothes.script"
script "a laptop with at least 16 GB of memory under 900 dollars
make that 32 GB
any brand is fine
not refurbished
show me more
something cheaper
actually I need a monitor, 27 inch or bigger
144 Hz please
thanks, goodbye" "$work/sessions/devices.script"

recordings=()
"$turnstone" generate --kind fashion --rows 3000 --seed 5 --out "$work/sessions/clothes.jsonl" >/dev/null
"$turnstone" generate --kind electronics --rows 3000 --seed 6 --out "$work/sessions/devices.jsonl" >/dev/null
record clothes "$work/sessions/clothes.jsonl" "$work/sessions/clothes.script"
record devices "$work/sessions/devices.jsonl" "$work/sessions/devices.script"
if [[ -r $shared/data/fashion50k.jsonl.zst ]]; then
  record fashion50k "$shared/data/fashion50k.jsonl.zst" "$work/sessions/clothes.script"
else
  echo "fashion50k is not at $shared/data, so the conversation over it is left out"
fi

for name in "${recordings[@]}"; do
  for build in "${builds[@]}"; do
    expect 0 "$name replayed by $build" "$work/$build/replay_core" "$work/sessions/$name.recording" "$work/sessions/$name.index"
    echo "$name replayed by $build: $(tail -1 "$work/sessions/output")"
  done
done

# The judge is no yes-man: another index is refused, and another record of a decision is a divergence.
core="$work/${builds[0]}/replay_core"
expect 4 "another index" "$core" "$work/sessions/clothes.recording" "$work/sessions/devices.index"
sed '0,/"flight_record":"\(.*\)\(..\)","number"/s//"flight_record":"\1ff","number"/' "$work/sessions/clothes.recording" >"$work/sessions/altered.recording"
cmp -s "$work/sessions/altered.recording" "$work/sessions/clothes.recording" && { echo "the recording was not altered"; exit 1; }
expect 1 "an altered record" "$core" "$work/sessions/altered.recording" "$work/sessions/clothes.index"
echo "${#builds[@]} builds decide alike"
