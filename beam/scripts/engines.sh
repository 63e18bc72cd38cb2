#!/usr/bin/env bash
# Runs pipelines on an embedded Flink and an embedded Spark, through Beam's own job servers,
# with workers in the launcher and in processes of their own, one of which is killed, and
# compares their answers with those of ogive.
#
#   scripts/engines.sh [flink] [spark]
#
# It needs Java 17 and Maven; JARS names a folder for their class paths (default: one in
# the user's cache).
source "$(dirname "$0")/common.sh"

[ $# -gt 0 ] || set -- flink spark
jars=${JARS:-${XDG_CACHE_HOME:-$HOME/.cache}/ogive-beam}
port=${PORT:-18099}

# classpath ENGINE: fetches the jars of a job server.
classpath() {
	if ! cmp -s "$scripts/$1/pom.xml" "$jars/$1/pom.xml"; then
		rm -rf "$jars/$1"
		mkdir -p "$jars/$1"
		cp "$scripts/$1/pom.xml" "$work/pom.xml"
		mvn -q -B -f "$work/pom.xml" dependency:copy-dependencies -DoutputDirectory="$jars/$1/lib"
		cp "$scripts/$1/pom.xml" "$jars/$1/pom.xml" # the last, so that a half folder is fetched again
	fi
}

# serve ENGINE CLASS FLAGS…: starts a job server.
serve() {
	local engine=$1 class=$2
	shift 2
	mkdir -p "$work/$engine-tmp"
	java @"$scripts/java17.args" -Xmx2g -XX:+UseSerialGC -Djava.io.tmpdir="$work/$engine-tmp" \
		-Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dlog4j.configurationFile="$scripts/spark/log4j2.properties" \
		-Dspark.ui.enabled=false -cp "$jars/$engine/lib/*" "$class" \
		--job-host=localhost --job-port="$port" --artifact-port=0 --expansion-port=0 \
		--artifacts-dir="$work/$engine-artifacts" "$@" >"$work/$engine.log" 2>&1 &
	servers+=($!)
	listening "$port" $! || { tail -30 "$work/$engine.log" >&2; exit 1; }
}

for engine in "$@"; do
	classpath "$engine"
	flags=(--runner "$engine" --endpoint "localhost:$port" --environment_type)
	case $engine in
	flink)
		mkdir -p "$work/flink-conf"
		printf '%s\n' 'restart-strategy.type: fixed-delay' 'restart-strategy.fixed-delay.attempts: 5' 'restart-strategy.fixed-delay.delay: 1 s' >"$work/flink-conf/config.yaml"
		cp "$work/flink-conf/config.yaml" "$work/flink-conf/flink-conf.yaml"
		serve flink org.apache.beam.runners.flink.FlinkJobServerDriver '--flink-master=[local]' --flink-conf-dir="$work/flink-conf"
		;;
	spark) # a task may fail four times
		serve spark org.apache.beam.runners.spark.SparkJobServerDriver '--spark-master-url=local[2,4]'
		;;
	esac
	prove "$engine, workers in the launcher" "${flags[@]}" LOOPBACK
	prove "$engine, worker processes" "${flags[@]}" PROCESS
	survive "$engine" "${flags[@]}" PROCESS
	kill "${servers[-1]}"
	wait "${servers[-1]}" 2>/dev/null || true
done
