#!/bin/sh
# The answer of an order statistic over many files, several of which are read at a time.
#
#   sh run.sh 'FLAGS' FILE...      sh run.sh '--op nanquantile --q 0.5,0.99 -c delay' day*.csv
#
# FLAGS are those of the first pass of ogive partial. In the environment: READ, flags for
# every pass, which say how the files are read (-d ';'); JOBS, how many files are read at
# a time (default 4); OGIVE, the command (default ogive). FLAGS and READ are divided at
# blanks.
set -eu

if [ $# -lt 2 ]; then
	echo "usage: sh run.sh 'FLAGS' FILE..." >&2
	exit 2
fi
flags=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
OGIVE=${OGIVE:-ogive} READ=${READ:-}
export OGIVE READ work

while :; do
	export flags
	# Each xargs job gets a number, which names its shard, and a file.
	i=0
	for file; do
		i=$((i + 1))
		printf '%s\0%s\0' "$i" "$file"
	done | xargs -0 -n 2 -P "${JOBS:-4}" sh -c '
		set -f
		$OGIVE partial "$2" $flags $READ -o "$work/$1.ogive"' shard

	status=0
	$OGIVE merge "$work"/*.ogive -o "$work/next" || status=$?
	if [ "$status" -ne 3 ]; then
		exit "$status" # 0: the answer is written
	fi
	mv "$work/next" "$work/state"
	flags="--state $work/state"
done
