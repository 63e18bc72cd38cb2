#!/usr/bin/env bash
# Fetches the real files that TestRealData reads into a folder outside the tree, and
# checks their digests:
#
#   testdata/fetch.sh FOLDER && OGIVE_DATA=FOLDER go test -run RealData .
#
# flights, movies and birdstrikes are of vega-datasets 3.2.1 (npm), the COADS climatology
# of Debian's ferret-datasets, Fashion-MNIST of its dataset-fashion-mnist (the images
# without their header), diamonds of plotnine 0.14.5 (PyPI), the logs of HdrHistogram's
# tests.
set -euo pipefail
folder=${1:?usage: fetch.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
module=$(cd "$(dirname "$0")/.." && go list -m -f '{{.Dir}}' github.com/HdrHistogram/hdrhistogram-go)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

npm pack --silent vega-datasets@3.2.1 >/dev/null
tar xzf vega-datasets-3.2.1.tgz --strip-components=2 -C "$folder" \
	package/data/flights-3m.parquet package/data/flights-200k.arrow package/data/movies.json package/data/birdstrikes.csv
apt-get download -qq ferret-datasets dataset-fashion-mnist
for package in *.deb; do dpkg -x "$package" debian; done
cp debian/usr/share/ferret-vis/data/coads_climatology.cdf "$folder"
gunzip -c debian/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz | tail -c +17 >"$folder/fashion-mnist.u8"
python3 -m pip download --quiet --no-deps plotnine==0.14.5
python3 -m zipfile -e plotnine-0.14.5-*.whl plotnine
install -m 644 plotnine/plotnine/data/diamonds.csv "$folder"
install -m 644 "$module"/test/{jHiccup-2.0.7S,tagged-Log}.logV2.hlog "$folder"

cd "$folder"
sha256sum --check --quiet <<'END'
45777edf69984b37599e73dbfb34dbc976055243547407214261a4fcb9466462  birdstrikes.csv
b94f55034d13d63f33e2153afddc0c5e00347076c35ab3e34937aec38ce9c4c1  coads_climatology.cdf
9574730b03aba241d899c4a97511c5061b19358fab89510774fb6c24168345c4  diamonds.csv
2e487a6c89124f78f2d7521542223cafe96f7123c3ca13d447772ac6ecbb3012  fashion-mnist.u8
3a0e2e459f388c98f5323a59ccd011a888e717603480fa27cbaacbd000370d5b  flights-200k.arrow
dbeb920c90f59b6ccaff823dcc3d08f25a97fa1ce128d93f40be4e931f5900b0  flights-3m.parquet
e819499dcd9f0ca6f1f46ee110fd0a153c262307c7598589df3df3f91c306c99  jHiccup-2.0.7S.logV2.hlog
e63c499759e3b07b49563e036f55290f87feb56def8703ec049ca305ab1523d3  movies.json
2e5f87d89656245d15ee9aca577d652f5dac865a1e1d804847d820062ebf079b  tagged-Log.logV2.hlog
END
