#!/usr/bin/env bash
# Makes the tags of a release of the commit that is checked out, in a clone, and shows
# that they install:
#
#	scripts/release.sh v0.1.0 [FOLDER]
#
# In the repository each module has replace lines for its neighbours, with which go install
# refuses it. Here each module in turn, those it needs first, loses them for the version,
# is committed, tagged, and put by go itself into a module proxy of files. Then go install
# takes the command from that proxy into an empty GOPATH, without a go.work, and it runs.
# Other modules come from the module cache, or from GOPROXY.
#
# The clone is FOLDER, for the tags to be pushed from, or is removed at the end.
set -euo pipefail

version=${1:?usage: scripts/release.sh VERSION [FOLDER]}
base=github.com/ogive-go/ogive
modules=(. formats cmd/ogive gomlx beam)

source=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=${2:-$work/ogive}
proxy=$work/proxy

export GOWORK=off GOTOOLCHAIN=local GONOSUMDB=$base,$base/* GOFLAGS="-mod=mod -modcacherw"
others=file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)
export GOPROXY=file://$proxy,$others

path() { [ "$1" = . ] && echo "$base" || echo "$base/$1"; }
tag() { [ "$1" = . ] && echo "$version" || echo "$1/$version"; }

# release FOLDER OF A MODULE: commits, tags and publishes it.
release() {
	local module released
	module=$(path "$1")
	cd "$tree/$1"
	for released in "${modules[@]}"; do
		released=$(path "$released")
		if grep -q "^[[:space:]]*\(require \)\?$released v" go.mod; then
			go mod edit "-dropreplace=$released" "-require=$released@$version"
		fi
	done
	if grep -q '=>' go.mod; then
		echo "$module: a replace line is left" >&2
		return 1
	fi
	go mod tidy
	git add go.mod go.sum
	git diff --cached --quiet || git commit -q -m "$module $version"
	git tag "$(tag "$1")"

	# go makes what a proxy serves, from the clone in place of the network.
	cd "$work"
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.file://$tree.insteadOf" GIT_CONFIG_VALUE_0="https://$base" \
		GOPROXY=direct GOMODCACHE=$work/cache go mod download "$module@$version"
	mkdir -p "$proxy/$module"
	cp -r "$work/cache/cache/download/$module/@v" "$proxy/$module/"
}

git clone -q "$source" "$tree"
git -C "$tree" config user.name "$(git -C "$source" log -1 --format=%an)"
git -C "$tree" config user.email "$(git -C "$source" log -1 --format=%ae)"
for module in "${modules[@]}"; do
	release "$module"
	echo "$(path "$module")@$version"
done

cd "$work"
GOPATH=$work/gopath GOMODCACHE=$work/gopath/pkg/mod go install "$base/cmd/ogive@$version"
"$work/gopath/bin/ogive" version | grep -F "ogive $version "
[ "$(seq 100 | "$work/gopath/bin/ogive" median -f plain)" = 50.5 ]
echo "go install $base/cmd/ogive@$version works"
if [ $# -gt 1 ]; then
	echo "to publish: git -C $tree push https://$base $(for module in "${modules[@]}"; do tag "$module"; done | xargs)"
fi
