# Stand-in for redis:7.4-bookworm: Debian's redis-server (7.0), the same user id.
FROM localhost/stand-in-debian:bookworm
RUN groupadd -r -g 999 redis && useradd -r -g redis -u 999 redis \
 && apt-get update && apt-get install -y --no-install-recommends redis-server redis-tools \
 && rm -rf /var/lib/apt/lists/* && mkdir -p /data && chown redis:redis /data
WORKDIR /data
EXPOSE 6379
CMD ["redis-server"]
