#!/bin/sh
# From a fresh Debian 12 or Ubuntu 24.04 to a running program: installs the packages that are missing, builds into
# build/release, and runs.
#   ./bootstrap.sh demo [options]   the value-at-risk example on every device (--help shows its options)
#   ./bootstrap.sh test [options]   the test suite, once for each backend (options go to ctest, such as -R '^cpu\.')
#   ./bootstrap.sh bench [options]  the benchmarks (options go to `tandem bench`)
# A second run only builds what has changed.
set -eu
root=$(dirname "$(readlink -f "$0")")
build=$root/build/release
# make: what g++ links with in parallel. The rest is what CMakeLists.txt asks for.
packages="g++ make cmake ninja-build zlib1g-dev libopenblas-openmp-dev libxtensor-dev librandom123-dev libgtest-dev nlohmann-json3-dev"

say() { echo "bootstrap: $*"; }
fail() {
  echo "bootstrap: $*" >&2
  exit 1
}

install_packages() {
  if ! command -v apt-get > /dev/null; then
    say "this is neither Debian nor Ubuntu; the build needs what these have as: $packages"
    return
  fi
  missing=
  for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q '^install ok installed$' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  as_root="env DEBIAN_FRONTEND=noninteractive"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || fail "packages are missing and there is no sudo; as root: apt-get install$missing"
    as_root="sudo $as_root"
  fi
  say "installing$missing"
  $as_root apt-get update -q || say "apt-get update failed; trying with the lists that are there"
  # shellcheck disable=SC2086 # the names are words of their own
  $as_root apt-get install -q -y --no-install-recommends $missing ||
    fail "the packages could not be installed; as root: apt-get install$missing"
}

# build TARGET...: configures once; after that the build notices changes by itself.
build() {
  [ -f "$build/build.ninja" ] || (cd "$root" && cmake --preset release) ||
    fail "the configuration failed; its reason stands above (a clean start: rm -r $build)"
  cmake --build "$build" --parallel "$(nproc)" --target "$@" || fail "the build failed"
}

usage() {
  sed -n '4,7s/^# *//p' "$0"
  exit "$1"
}

[ $# -gt 0 ] || usage 2
command=$1
shift
case $command in
  demo)
    install_packages
    build value_at_risk
    exec "$build/share/tandem/examples/value_at_risk" "$@"
    ;;
  test)
    install_packages
    build all
    cd "$build"
    exec ctest --output-on-failure --no-tests=error "$@"
    ;;
  bench)
    install_packages
    build tandem_command
    exec "$build/bin/tandem" bench "$@"
    ;;
  help | -h | --help) usage 0 ;;
  *)
    echo "bootstrap: there is no command $command" >&2
    usage 2
    ;;
esac
