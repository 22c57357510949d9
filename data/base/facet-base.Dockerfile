# Base image of every task: Debian bookworm, the tools of PACKAGES.md, and the grading runner.
# Built by `facet base build`, which puts runner/ and wheels/ beside this file.
FROM debian:bookworm-slim

# Debian's own "slim" rules, also where the rootfs was made on this machine; no service may start
# while packages are set up.
RUN printf '%s\n' 'path-exclude /usr/share/doc/*' 'path-include /usr/share/doc/*/copyright' \
      'path-exclude /usr/share/man/*' 'path-exclude /usr/share/info/*' \
      > /etc/dpkg/dpkg.cfg.d/facet-slim \
 && printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d \
 && apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      acl asciinema bc bsdextrautils bzip2 ca-certificates cron curl file faketime gawk gcc \
      gettext-base git gnupg iproute2 jq less libc6-dev libfaketime libxml2-utils locales \
      logrotate lsof make netcat-openbsd nginx-light nodejs openssh-client openssl patch procps \
      psmisc python3 python3-yaml redis-server rsync socat sqlite3 strace sudo tmux tree tzdata \
      unzip wget xxd xz-utils zip zstd \
 && sed -i -e 's/^# *\(en_US.UTF-8\|de_DE.UTF-8\|tr_TR.UTF-8\)/\1/' /etc/locale.gen \
 && locale-gen \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log \
 && rm -rf /var/log/alternatives.log /root/.gnupg \
 && mkdir -p /app /logs/verifier /logs/agent /logs/artifacts

COPY wheels/ /tmp/facet/wheels/
COPY runner/ /tmp/facet/runner/
RUN python3 -I -B /tmp/facet/runner/make_runner.py /tmp/facet /opt/facet-verifier \
 && rm -rf /tmp/facet \
 && /opt/facet-verifier/run --version

ENV LANG=C.UTF-8
WORKDIR /app
CMD ["bash"]
