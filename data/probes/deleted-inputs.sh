#!/bin/bash
# Deletes what the checks could compare with.
while read -r path; do
  [ -n "$path" ] && rm -rf -- "$path"
done <<'PATHS'
@PATHS@
PATHS
true
