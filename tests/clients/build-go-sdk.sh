#!/bin/sh
# Compiles the suite of the Go SDK, unchanged, to the file that is named. This is the last version that brings its tests against a server along.
set -eu
version=v0.24.1
sum=h1:hpaqcdGcBmfMpV7JSbBJVwE99qo+WqGreJYKrDKEyW8=

cd "$(mktemp -d)"
answer=$(go mod download -json "code.gitea.io/sdk/gitea@$version")
member() { echo "$answer" | sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p"; }
[ "$(member Sum)" = "$sum" ] || { echo "the Go SDK $version is not the one that is known: $(member Sum)" >&2; exit 1; }
cd "$(member Dir)"
# Without C, as the other programs of the tests are built: they share the standard library in Go's cache. Without optimising, that takes less.
CGO_ENABLED=0 go test -c -ldflags="-s -w" -gcflags=all="-N -l -dwarf=false" -gcflags=std= -o "$1" .
