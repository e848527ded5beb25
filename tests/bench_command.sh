#!/bin/sh
# bench_command.sh TANDEM RESULTS README_TABLES: `tandem bench` measures, keeps, reads and draws; README.md has what the
# results say.
set -eu
tandem=$1 results=$2 tables=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "bench_command: $*" >&2; exit 1; }
expect() { grep -q -- "$1" "$2" || { cat "$2" >&2; fail "no line has: $1"; }; }
refuses() {  # refuses TEXT ARGUMENTS...
  text=$1; shift
  if "$tandem" bench "$@" > "$folder/out" 2>&1; then fail "accepted: $*"; fi
  expect "^tandem bench: $text" "$folder/out"
}

"$tandem" bench --device cpu --only '^(add|matmul)$' --budget 0.0001 --json "$folder/own.json" > "$folder/out"
expect '^add  *4 Ki' "$folder/out"
expect '^matmul  *1 Mi' "$folder/out"
expect 'There is no second device' "$folder/out"

"$tandem" bench --from "$folder/own.json" --target "$results" --html "$folder/page.html" > "$folder/out"
expect '^cpu beside cuda:0 (recorded' "$folder/out"
expect '^matmul  *x @ y, square' "$folder/out"
expect '"comparisons":\[{"base":"cpu"' "$folder/page.html"
if grep -q '/\*DATA\*/\|src=\|href=' "$folder/page.html"; then fail "the page has no data, or needs more than itself"; fi

printf '{"version": "0.1.0"' > "$folder/damaged.json"
refuses "$folder/damaged.json holds no measurements" --from "$folder/damaged.json"
refuses "cannot read $folder/absent.json" --target "$folder/absent.json" --device cpu
refuses "there is no option --what" --what
refuses "--budget none: a number above 0 is expected" --budget none
refuses "--budget needs a value" --budget

command -v python3 > /dev/null || { echo 'README.md was not checked: there is no python3'; exit 0; }
[ ! -e "$tables" ] || python3 "$tables" "$tandem" --check
