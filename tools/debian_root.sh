#!/usr/bin/env bash
# Runs a command of ./dev in another Debian: debian_root.sh NAME COMMAND [args]; tools/distributions.txt has the names.
#
# debootstrap makes the root once, in ${DYNACC_ROOTS:-~/.cache/dynacc/roots}/NAME. It is a chroot with the source tree
# mounted at /dynacc. Its build folder is build/NAME of the source tree, so that each tree has its own. Packages and the
# compiler cache stay in the root and serve all source trees, because all lie at the same path there.
# Delete the root's folder to begin anew. Needs root's rights, for chroot and mounts, and asks sudo for them.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly roots="${DYNACC_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/dynacc/roots}"
# What of the caller's environment a command sees there, besides DYNACC_*.
readonly inherited='PRESET|TERM|CI|PIP_[A-Z_]*|(http|https|no|HTTP|HTTPS|NO)_(proxy|PROXY)'

refuse() {
  echo "./dev on: $*" >&2
  exit 2
}

settings() {
  compgen -e | grep -Ex "DYNACC_[A-Z0-9_]*|$inherited" | while read -r name; do printf '%s=%s\n' "$name" "${!name}"; done
}

# The archive that this machine's apt uses, or Debian's own.
mirror() {
  local uri
  uri="$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m 1 '/debian/$' || true)"
  echo "${uri:-http://deb.debian.org/debian/}"
}

# Makes the root unless it is there. A second call waits for the first one.
make_root() {
  local name="$1" suite="$2" root="$roots/$1"
  mkdir -p "$roots"
  exec 9>"$roots/$name.lock"
  flock 9
  if [ ! -d "$root" ]; then
    command -v debootstrap >/dev/null || refuse "debootstrap is not installed (Debian and Ubuntu: apt-get install debootstrap)"
    printf '\n== making a root of %s in %s; its log is %s\n' "$suite" "$root" "$roots/$name.log"
    rm -rf "$root.part"
    debootstrap --variant=minbase "$suite" "$root.part" "$(mirror)" >"$roots/$name.log" 2>&1 ||
      refuse "debootstrap failed: $(tail -n 1 "$roots/$name.log")"
    mv "$root.part" "$root"
  fi
  exec 9>&-
}

# Names, certificates and proxies are this machine's, whatever they are at the time.
copy_network_settings() {
  local root="$1" file
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  for file in /etc/ssl/certs/ca-certificates.crt /etc/pip.conf; do
    # Not again where it is there: another command may be entering the root, and install takes the file away first.
    if [ -f "$file" ] && ! cmp -s "$file" "$root$file"; then install -Dm 644 "$file" "$root$file"; fi
  done
  if command -v apt-config >/dev/null; then
    apt-config dump 'Acquire' | grep -E '^Acquire::(http|https|Check|Languages:|Retries)' \
      >"$root/etc/apt/apt.conf.d/00host" || true
  fi
}

# Runs in a mount namespace of its own, so that nothing has to be unmounted.
enter() {
  local root="$1" name="$2"
  shift 2
  mkdir -p "build/$name" "$root/dynacc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  mount -t proc proc "$root/proc"
  mount --bind . "$root/dynacc"
  mount --bind "build/$name" "$root/dynacc/build"
  if [ -f .git ]; then # a worktree: its history lies elsewhere
    local git
    git="$(realpath "$(git rev-parse --git-common-dir)")"
    mkdir -p "$root$git"
    mount --bind "$git" "$root$git"
  fi
  local environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*')
  mapfile -t -O "${#environment[@]}" environment < <(settings)
  exec chroot "$root" env -i --chdir=/dynacc "${environment[@]}" ./dev "$@"
}

main() {
  local suite
  suite="$(awk -v name="${1:-}" '$1 == name && name != "#" { print $2 }' tools/distributions.txt)"
  [ -n "$suite" ] || refuse "'${1:-}' is none of: $(awk '!/^#/ { printf "%s ", $1 }' tools/distributions.txt)"
  [ $# -ge 2 ] || refuse "which command? For example: ./dev on $1 test"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || refuse "needs root's rights for a chroot, and there is no sudo"
    mapfile -t kept < <(settings)
    exec sudo env "DYNACC_ROOTS=$roots" "${kept[@]}" tools/debian_root.sh "$@"
  fi
  if [ -z "${DYNACC_IN_MOUNT_NAMESPACE:-}" ]; then
    make_root "$1" "$suite"
    DYNACC_IN_MOUNT_NAMESPACE=1 exec unshare --mount tools/debian_root.sh "$@"
  fi
  unset DYNACC_IN_MOUNT_NAMESPACE
  copy_network_settings "$roots/$1"
  enter "$roots/$1" "$@"
}

main "$@"
