#!/bin/sh
# A worker that plays a transcript: the first line at once, the others when something is asked.
head -n 1 "$1"
read -r _
tail -n +2 "$1"
cat >/dev/null
