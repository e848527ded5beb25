#!/bin/sh
# explain_command.sh TANDEM PROGRAM: `tandem calibrate` measures and keeps; `tandem explain` runs PROGRAM and answers.
set -eu
tandem=$1 program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "explain_command: $*" >&2; exit 1; }
expect() { grep -q -- "$1" "$2" || { cat "$2" >&2; fail "no line has: $1"; }; }
refuses() {  # refuses TEXT ARGUMENTS...
  text=$1; shift
  if "$tandem" explain "$@" > "$folder/out" 2>&1; then fail "accepted: $*"; fi
  expect "^tandem explain: $text" "$folder/out"
}

"$tandem" calibrate --device cpu --seconds 0.2 --json "$folder/own/cpu.json" > "$folder/out"
expect '^cpu: [0-9]* measurements; of [0-9]* workloads' "$folder/out"
expect "^kept in $folder/own/cpu.json" "$folder/out"

# Beside the machine that is recorded.
TANDEM_BACKEND=cpu "$tandem" explain --here "$folder/own/cpu.json" --html "$folder/page.html" -- "$program" --size 200 > "$folder/out"
expect ' cpu .* cuda:0 .* operation$' "$folder/out"
expect ' all operations$' "$folder/out"
expect '^of these on cuda:0 transfers' "$folder/out"
expect '^cuda:0 is as measured on' "$folder/out"
expect '^error of this prediction where it can be checked, on cpu: ' "$folder/out"
expect 'How far to trust this' "$folder/page.html"
if grep -q 'src=\|href=' "$folder/page.html"; then fail "the page needs more than itself"; fi

# Beside itself: what is predicted here and there is the same.
TANDEM_BACKEND=cpu "$tandem" explain --here "$folder/own/cpu.json" --target "$folder/own/cpu.json" --device cpu \
  -- "$program" --size 200 > "$folder/out"
awk '/ all operations$/ { found = 1; if ($3 != $5 || $4 != $6) exit 1 } END { exit !found }' "$folder/out" ||
  { cat "$folder/out" >&2; fail 'the two predictions differ'; }

printf '{"version": "0.1.0"' > "$folder/damaged.json"
refuses 'what is to be run?'
refuses 'what is to be run?' --
refuses "$folder/damaged.json holds no calibration" --target "$folder/damaged.json" -- "$program"
refuses "cannot read $folder/absent.json" --here "$folder/absent.json" -- "$program"
refuses 'there is no option --what' --what -- "$program"
refuses 'the calibration has no device nothing' --device nothing -- "$program" --size 200
refuses 'true computed nothing with Tandem' -- true
refuses 'false ended with 1' -- false
if "$tandem" explain -- "$folder/absent" > "$folder/out" 2>&1; then fail 'ran a program that there is not'; fi
expect "^tandem explain: cannot run $folder/absent: No such file" "$folder/out"
