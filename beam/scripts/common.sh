# What prism.sh and engines.sh share: programs, shards, and the answers that ogive gives
# for all of the data.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
module=$(cd "$scripts/.." && pwd)
work=$(mktemp -d)
servers=()
cleanup() {
	for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT

CGO_ENABLED=0 go build -C "$module" -o "$work/ogive-beam" ./cmd/ogive-beam
CGO_ENABLED=0 go build -C "$module/../cmd/ogive" -o "$work/ogive" .

# Eight texts with a group that most rows are in, missing cells, and fractions in the last
# file alone; six raw arrays of any bits.
for i in 0 1 2 3 4 5 6 7; do
	awk -v seed="$i" -v last="$((i == 7))" 'BEGIN {
		srand(seed); print "v,place,w"
		for (i = 0; i < 150000; i++)
			printf "%s,%s,%d\n", rand() < 0.01 ? "" : int(1e9 * (rand() - 0.5)) (last ? ".5" : ""), rand() < 0.9 ? "hot" : "place " int(1000 * rand()), 5 * rand()
	}' >"$work/$i.csv"
done
for i in 0 1 2 3 4 5; do head -c 24000000 /dev/urandom >"$work/$i.raw"; done
cat "$work"/?.raw >"$work/all.bin"

raw=(--input-format raw --dtype int64)
q=0.001,0.25,0.5,0.99,1
"$work/ogive" quantile "${raw[@]}" "$work/all.bin" -q $q >"$work/raw.want"
"$work/ogive" nanquantile "$work"/?.csv -c v --weights w -q $q 2>/dev/null >"$work/weights.want"
"$work/ogive" nanquantile "$work"/?.csv -c v --by place --sort -q $q 2>/dev/null | sort >"$work/groups.want"
"$work/ogive" describe "$work"/?.csv -c v,w 2>/dev/null >"$work/describe.want"

# prove NAME FLAGS…: the answers of a runner are those of ogive.
prove() {
	local name=$1
	shift
	"$work/ogive-beam" quantile "${raw[@]}" "$work/?.raw" --q $q --memory 4M --quiet "$@" >"$work/raw.got"
	cmp "$work/raw.got" "$work/raw.want"
	"$work/ogive-beam" nanquantile "$work/?.csv" -c v --weights w --q $q --part 500K --quiet "$@" >"$work/weights.got"
	cmp "$work/weights.got" "$work/weights.want"
	"$work/ogive-beam" nanquantile "$work/?.csv" -c v --by place --q $q --quiet "$@" | sort >"$work/groups.got"
	cmp "$work/groups.got" "$work/groups.want"
	"$work/ogive-beam" describe "$work/?.csv" -c v,w --quiet "$@" >"$work/describe.got"
	cmp "$work/describe.got" "$work/describe.want"
	echo "$name: the answers of ogive"
}

# survive NAME FLAGS…: a worker is killed while it reads, and the answer is that of ogive.
survive() {
	local name=$1
	shift
	for i in 1 2 3 4 5 6 7 8; do cat "$work/all.bin"; done >"$work/large.bin"
	"$work/ogive" quantile "${raw[@]}" "$work/large.bin" -q $q >"$work/large.want"
	"$work/ogive-beam" quantile "${raw[@]}" "$work/large.bin" --q $q --part 4M --memory 4M --quiet "$@" >"$work/large.got" &
	local job=$! killed=
	for _ in $(seq 200); do
		sleep 0.1
		for pid in $(pgrep -f "^$work/ogive-beam --worker=true" || true); do
			# Its first byte is read once the binary and the plan have been.
			if grep -qs large.bin <(ls -l "/proc/$pid/fd" 2>/dev/null); then
				kill -9 "$pid" && killed=$pid && break 2
			fi
		done
		kill -0 $job 2>/dev/null || break
	done
	wait $job
	[ -n "$killed" ]
	cmp "$work/large.got" "$work/large.want"
	rm "$work/large.bin"
	echo "$name: a worker was killed, and the answer is that of ogive"
}

# listening PORT PID: waits for a server.
listening() {
	for _ in $(seq 120); do
		(exec 3<>"/dev/tcp/localhost/$1") 2>/dev/null && return
		kill -0 "$2" 2>/dev/null || break
		sleep 0.5
	done
	echo "no server on port $1" >&2
	return 1
}
