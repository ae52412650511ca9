#!/bin/sh
# Stand-in images for machines that can't pull: tags of the official images, contents from Debian packages and the Node given.
# They prove that our own images and compose files work, not that they work on the official images; say "stand-in" in any claim.
#
#   sh tools/services/stand-in/make-images.sh [base|nats|redis|postgres ...]     all four without names; as root
#
# Needs podman, buildah and debootstrap. NODE_DIR: an unpacked Node (bin/node), NPM_DIR: an unpacked npm (bin/npm-cli.js);
# default: those of this machine. DEBIAN_MIRROR: where debootstrap gets packages, if not from its own default.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
node=${NODE_DIR:+$NODE_DIR/bin/node}
node=${node:-$(command -v node)}
npm=${NPM_DIR:-$(npm root -g)/npm}
NODE_TAG=${NODE_TAG:-docker.io/library/node:24-bookworm-slim}
NATS_TAG=${NATS_TAG:-docker.io/library/nats:2.11-alpine}
REDIS_TAG=${REDIS_TAG:-docker.io/library/redis:7.4-bookworm}
POSTGRES_TAG=${POSTGRES_TAG:-docker.io/library/postgres:17-bookworm}
DEBIAN_TAG=localhost/stand-in-debian:bookworm

debian() {
  podman image exists "$DEBIAN_TAG" && return
  work=$(mktemp -d)
  debootstrap --variant=minbase --include=ca-certificates bookworm "$work/rootfs" ${DEBIAN_MIRROR:-} > "$work/log" 2>&1 ||
    { tail -n 5 "$work/log" >&2; exit 1; }
  rm -rf "$work"/rootfs/var/cache/apt/archives/*.deb "$work"/rootfs/var/lib/apt/lists/*
  # A package's service must not start while an image is made.
  printf '#!/bin/sh\nexit 101\n' > "$work/rootfs/usr/sbin/policy-rc.d"
  chmod 755 "$work/rootfs/usr/sbin/policy-rc.d"
  tar -C "$work/rootfs" -c . | podman import --change 'LABEL org.opencontainers.image.description="stand-in base image"' - "$DEBIAN_TAG" > /dev/null
  rm -rf "$work"
}

# build <tag> <Dockerfile> <context>
build() {
  buildah bud --isolation chroot --pull-never --format docker --quiet -t "$1" -f "$here/$2" "$3" > /dev/null
  printf 'stand-in %s\n' "$1"
}

base() {
  debian
  context=$(mktemp -d)
  mkdir -p "$context/npm"
  cp "$node" "$context/node"
  cp -R "$npm/." "$context/npm/"
  build "$NODE_TAG" node.Dockerfile "$context"
  rm -rf "$context"
}

nats() { debian; build "$NATS_TAG" nats.Dockerfile "$here"; }
redis() { debian; build "$REDIS_TAG" redis.Dockerfile "$here"; }
postgres() { debian; build "$POSTGRES_TAG" postgres.Dockerfile "$here"; }

for image in "${@:-all}"; do
  case $image in
    all) base; nats; redis; postgres ;;
    base | nats | redis | postgres) "$image" ;;
    *) echo "usage: make-images.sh [base|nats|redis|postgres ...]" >&2; exit 2 ;;
  esac
done
