#!/usr/bin/env bash
# Starts a Prism server, runs pipelines on it whose workers are processes of their own, two
# pipelines at a time, and compares their answers with those of ogive.
source "$(dirname "$0")/common.sh"

CGO_ENABLED=0 go build -C "$module" -o "$work/prism" github.com/apache/beam/sdks/v2/go/cmd/prism
port=${PORT:-18073}
"$work/prism" --job_port "$port" --serve_http=false --log_level error 2>"$work/prism.log" &
servers+=($!)
listening "$port" $!

flags=(--runner universal --endpoint "localhost:$port" --environment_type)
prove "Prism here" --runner prism
prove "Prism server, workers in the launcher" "${flags[@]}" LOOPBACK
prove "Prism server, worker processes" "${flags[@]}" PROCESS

for i in 1 2 3; do # processes side by side
	"$work/ogive-beam" quantile "${raw[@]}" "$work/?.raw" --q $q --quiet "${flags[@]}" PROCESS >"$work/$i.got" &
	jobs[i]=$!
done
for i in 1 2 3; do
	wait "${jobs[i]}"
	cmp "$work/$i.got" "$work/raw.want"
done
echo "Prism server, three pipelines at once: the answers of ogive"
