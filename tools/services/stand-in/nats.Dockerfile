# Stand-in for nats:2.11-alpine: Debian's nats-server (2.9); busybox brings wget for the health check, as Alpine does.
FROM localhost/stand-in-debian:bookworm
RUN apt-get update && apt-get install -y --no-install-recommends nats-server busybox \
 && rm -rf /var/lib/apt/lists/* && ln -s /bin/busybox /usr/bin/wget && mkdir -p /etc/nats
EXPOSE 4222 8222
CMD ["nats-server", "-js"]
