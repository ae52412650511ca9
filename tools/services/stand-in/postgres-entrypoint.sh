#!/bin/sh
# As the official image's: at the first start makes a cluster from POSTGRES_USER, POSTGRES_PASSWORD(_FILE) and POSTGRES_DB.
set -eu
if [ "$(id -u)" = 0 ]; then
  chown -R postgres:postgres "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --clear-groups sh "$0" "$@"
fi
user=${POSTGRES_USER:-postgres}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  secret=${POSTGRES_PASSWORD_FILE:-/tmp/.first-password}
  [ -n "${POSTGRES_PASSWORD_FILE:-}" ] || (umask 077 && printf '%s' "$POSTGRES_PASSWORD" > "$secret")
  initdb -U "$user" --pwfile="$secret" -A scram-sha-256 --auth-local=trust -E UTF8 --locale=C.UTF-8 > /dev/null
  [ -n "${POSTGRES_PASSWORD_FILE:-}" ] || rm -f "$secret"
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  if [ "${POSTGRES_DB:-$user}" != postgres ]; then
    pg_ctl -s -w -o "-c listen_addresses=''" start
    createdb -U "$user" -O "$user" "${POSTGRES_DB:-$user}"
    pg_ctl -s -w -m fast stop
  fi
fi
exec "$@" -c listen_addresses='*'
