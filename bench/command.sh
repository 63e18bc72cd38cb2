#!/usr/bin/env bash
# Measures the command ogive beside DuckDB, Polars, pandas, GNU datamash and Miller, as
# processes from start to end: seconds, seconds of processors, MiB at most. The tools take
# turns; the medians of the rounds are printed.
#
#   bench/command.sh OUTPUT-FOLDER [ROUNDS [CASES]]
#
# PYTHON names an interpreter with duckdb, polars, pandas and pyarrow; datamash, mlr and
# /usr/bin/time are Debian's packages datamash, miller and time. PARQUET names the file
# flights-3m.parquet of https://github.com/vega/vega-datasets. CASES is a pattern of
# cases (default all).
set -euo pipefail
dir=$1 rounds=${2:-5} cases=${3:-.}
python=${PYTHON:-python3} parquet=${PARQUET:-flights-3m.parquet}
mkdir -p "$dir"
go build -C "$(dirname "$0")/.." -o "$(realpath "$dir")/ogive" ./cmd/ogive

table() { # FILE ROWS
	[ -e "$1" ] || awk -v n="$2" 'BEGIN {
		srand(1); split("Seattle,Port Angeles,Yakima,Spokane", place, ","); print "id,day,temp,wind,place,v"
		for (i = 0; i < n; i++)
			printf "%d,%d-%02d-%02d,%.3f,%.2f,%s,%d\n", i, 2012 + i % 7, 1 + i % 12, 1 + i % 28,
				15 + 10 * sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()), 30 * rand(), place[1 + int(4 * rand())], 1000000 * rand()
	}' >"$1"
}
table "$dir/1M.csv" 1000000
table "$dir/10M.csv" 10000000

once() { # CASE TOOL COMMAND…
	[[ $1 =~ $cases ]] || return 0
	/usr/bin/time -o "$dir/time" -f '%e %U %S %M' "${@:3}" >/dev/null 2>"$dir/stderr" || { cat "$dir/stderr" >&2; exit 1; }
	awk -v case="$1" -v tool="$2" -v OFS='\t' '{ print case, tool, $1, $2 + $3, $4 / 1024 }' "$dir/time" >>"$dir/runs"
}
py() { once "$1" "$2" "$python" -c "import $2; $3"; }

: >"$dir/runs"
for ((i = 0; i < rounds; i++)); do
	for rows in 1M 10M; do
		f=$dir/$rows.csv
		once "median $rows" ogive "$dir/ogive" median "$f" -c temp
		py "median $rows" duckdb "print(duckdb.sql(\"select median(temp) from read_csv('$f')\").fetchall())"
		py "median $rows" polars "print(polars.scan_csv('$f').select(polars.col('temp').median()).collect())"
		py "median $rows" pandas "print(pandas.read_csv('$f', usecols=['temp']).temp.median())"
		once "median $rows" datamash sh -c "datamash -t, --header-in median 3 <'$f'"
		once "median $rows" miller mlr --icsv --ojson stats1 -a p50 -i -f temp "$f"

		for by in place id; do
			once "median by $by $rows" ogive "$dir/ogive" median "$f" -c temp --by $by
			py "median by $by $rows" duckdb "duckdb.sql(\"copy (select $by, median(temp) from read_csv('$f') group by $by) to '/dev/null' (format csv)\")"
			py "median by $by $rows" polars "polars.scan_csv('$f').group_by('$by').agg(polars.col('temp').median()).collect().write_csv('/dev/null')"
			py "median by $by $rows" pandas "pandas.read_csv('$f', usecols=['temp', '$by']).groupby('$by', sort=False).temp.median().to_csv('/dev/null')"
			[ $rows = 1M ] || continue
			once "median by $by $rows" datamash sh -c "datamash -t, -s --header-in -g $by median temp <'$f'"
			[ $by = id ] || once "median by $by $rows" miller mlr --icsv --ocsv stats1 -a p50 -i -f temp -g $by "$f"
		done
	done
	once "describe parquet" ogive "$dir/ogive" describe "$parquet"
	py "describe parquet" duckdb "print(duckdb.sql(\"summarize from '$parquet'\").fetchall())"
	exact=
	for c in date delay distance; do exact+="count($c), min($c), max($c), quantile_cont($c, [.01, .05, .25, .5, .75, .95, .99]), mad($c), "; done
	once "describe parquet" "duckdb exact" "$python" -c "import duckdb; print(duckdb.sql(\"select $exact from '$parquet'\").fetchall())"
	py "describe parquet" pandas "print(pandas.read_parquet('$parquet').describe(percentiles=[.01, .05, .25, .5, .75, .95, .99]))"
done

sort -s -t$'\t' -k1,2 "$dir/runs" | awk -F'\t' '
	function median(v, n,   i, j, x) {
		for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] < v[j-1]; j--) { x = v[j]; v[j] = v[j-1]; v[j-1] = x }
		return v[int((n + 1) / 2)]
	}
	function flush() { if (n) printf "%-22s %-14s %6.2f s %6.2f s %6.0f MiB\n", name, tool, median(wall, n), median(cpu, n), median(rss, n); n = 0 }
	$1 != name || $2 != tool { flush(); name = $1; tool = $2 }
	{ n++; wall[n] = $3; cpu[n] = $4; rss[n] = $5 }
	END { flush() }'
