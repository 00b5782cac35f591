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
go test -c -o "$1" .
