#!/usr/bin/env bash
# Checks and measures package cuda on this machine's GPU, and other libraries beside it.
# It needs what build.sh built, and python3 with the libraries; no Go.
#
#   bench/gpu/run.sh [STAGE…]
#
#   check     the tests that run on a GPU, with whole sweeps            at most 230 s
#   ogive     the cases of cuda/testdata/speed.tsv, each checked first  at most 140 s
#   rivals    the same cases by PyTorch, CuPy, JAX and Paddle           at most 170 s
#   scaling   the CPU engine with 1, 2, 4 … workers                     at most 40 s
#   table     what these stages found, as Markdown
#   resources the registers and spills of each kernel, by ptxas         at most 60 s
#   sanitize  memcheck and racecheck of compute-sanitizer               at most 300 s
#
# Without a STAGE it is the first five, in ten minutes. What a stage finds goes into the
# folder that OUT names, by default bench/gpu/results; table reads it there, also on
# another machine. A step that fails is reported, the others go on, and the status is 1
# in the end. ELEMENTS limits the elements of a case, for small GPUs and for trials;
# LIBRARIES lists the libraries, PYTHON names the interpreter, DEVICE=cpu is for trials
# of the stage rivals.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
here=bench/gpu
bin=$PWD/$here/bin
out=$(realpath -m "${OUT:-$here/results}")
python=${PYTHON:-python3}
mkdir -p "$out" || exit 2
export OGIVE_REQUIRE_GPU=${OGIVE_REQUIRE_GPU-1} OGIVE_SWEEP=${OGIVE_SWEEP-all} PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
export PATH=$PATH:/usr/local/cuda/bin
[ -z "${ELEMENTS-}" ] || export OGIVE_BENCH_ELEMENTS=$ELEMENTS
failures=0

# stage begins a stage: its log is empty, and its steps share the seconds.
stage() { # NAME SECONDS
	log=$out/$1.txt deadline=$((SECONDS + $2))
	: >"$log"
	printf '\n== %s\n' "$1"
}

# step runs a command, with its output in the log, in the time that its stage has left,
# and at most $limit seconds.
step() { # NAME COMMAND…
	local name=$1 start=$SECONDS left=$((deadline - SECONDS)) status=0
	shift
	[ "$left" -le "${limit:-600}" ] || left=$limit
	if [ "$left" -le 0 ]; then
		status=124
	else
		timeout -k 5 "$left" "$@" >"$log.step" 2>&1 </dev/null || status=$?
	fi
	local verdict="ok"
	case $status in
	0) ;;
	124 | 137) verdict="FAILED: out of time" ;;
	*) verdict="FAILED: status $status" ;;
	esac
	{
		printf '#step %s: %s, %d s\n' "$name" "$verdict" $((SECONDS - start))
		[ ! -e "$log.step" ] || cat "$log.step"
	} >>"$log"
	printf '%-30s %s, %d s\n' "$name" "$verdict" $((SECONDS - start))
	if [ "$status" != 0 ]; then
		failures=$((failures + 1))
		[ ! -e "$log.step" ] || { grep -m 12 -E '_test\.go:|FAIL|panic|fatal|SIG|Error|what\(\)' "$log.step" || tail -n 12 "$log.step"; } | cut -c1-300 | sed 's/^/    /'
	fi
	rm -f "$log.step"
	return 0
}

within() { (cd "$1" && shift && exec "$@"); } # FOLDER COMMAND…
export -f within

environment() {
	{
		date -u '+date: %Y-%m-%d %H:%M UTC'
		printf 'build: %s\n' "$(cat "$bin/BUILD" 2>&1)"
		printf 'GPU: %s\n' "$(nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader 2>&1 | head -n 1)"
		printf 'CPU: %s, %s processors\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
	} >"$out/environment.txt"
	cat "$out/environment.txt"
}

run_check() {
	stage check 230
	step "cudrv" bash -c "within internal/cudrv '$bin/cudrv.test' -test.v -test.run '^TestDevice'"
	local name
	for name in Names FromPointer Refused Goroutines Regimes; do
		step "cuda $name" bash -c "within cuda '$bin/cuda.test' -test.v -test.run '^Test$name\$'"
	done
	step "cuda SpeedCases, small" env OGIVE_BENCH_ELEMENTS="${ELEMENTS:-4194304}" bash -c "within cuda '$bin/cuda.test' -test.v -test.run '^TestSpeedCases\$'"
	for name in Elements Sweep; do
		step "ogive $name" "$bin/ogive.test" -test.v -test.run "^TestDevice$name\$"
	done
	step "cuda LargeLanes" bash -c "within cuda '$bin/cuda.test' -test.v -test.run '^TestLargeLanes\$'"
	grep -c '^ *--- PASS' "$log" | sed 's/$/ tests passed/'
	grep '^ *--- SKIP' "$log"
}

# speed measures the cases whose names match.
speed() { # NAME PATTERN
	step "$1" bash -c "within cuda '$bin/cuda.test' -test.run '^\$' -test.bench '$2' -test.benchtime ${RUNS:-25}x"
}

run_ogive() {
	stage ogive 140
	limit=110 speed "all cases" Speed
	# What a crash took with it is tried again, case by case.
	local case
	while IFS=$'\t' read -r case _; do
		case=${case// /_}
		grep -qP "BenchmarkSpeed/\Q$case\E(-\d+)?(\s|$)" "$log" && continue
		[ "$deadline" -gt "$SECONDS" ] || break
		limit=30 speed "$case" "Speed/^\Q$case\E\$"
	done < <(tail -n +2 cuda/testdata/speed.tsv)
	limit=20 step "the binding" bash -c "within internal/cudrv '$bin/cudrv.test' -test.run '^\$' -test.bench Device -test.benchtime 0.1s"
}

run_rivals() {
	stage rivals 170
	local library
	for library in ${LIBRARIES:-torch cupy jax paddle}; do
		limit=55 step "$library" "$python" "$here/rivals.py" --library "$library" --device "${DEVICE:-gpu}" --seconds 42 ${ELEMENTS:+--elements "$ELEMENTS"}
	done
	grep -P '\timport\t' "$log"
}

run_scaling() {
	stage scaling 40
	step "workers" "$bin/ogive.test" -test.run '^$' -test.bench Scaling -test.benchtime "${SCALING_TIME:-0.5s}"
}

run_table() {
	echo
	"$python" "$here/table.py" "$out" || failures=$((failures + 1))
}

run_resources() {
	stage resources 60
	local arch
	arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
	step "ptxas" bash -c "for f in internal/cukern/ptx/*.gz; do gunzip -c \"\$f\" >'$out/module.ptx' && echo \"\$f\" && ptxas -v -arch=sm_${arch:-90} -o /dev/null '$out/module.ptx' || exit; done"
	rm -f "$out/module.ptx"
	grep -B 3 -E '[1-9][0-9]* bytes spill' "$log"
}

run_sanitize() {
	stage sanitize 300
	local tool
	for tool in memcheck racecheck; do
		step "$tool" env OGIVE_BENCH_ELEMENTS=100000 bash -c "within cuda compute-sanitizer --tool $tool --error-exitcode 9 '$bin/cuda.test' -test.v -test.run '^TestSpeedCases\$'"
	done
}

stages=("$@")
[ $# -gt 0 ] || stages=(check ogive rivals scaling table)
for s in "${stages[@]}"; do
	case $s in
	check | ogive | rivals | scaling | table | resources | sanitize) ;;
	*) echo "no stage $s" >&2 && exit 2 ;;
	esac
done
[ "${stages[*]}" = table ] || environment
for s in "${stages[@]}"; do "run_$s"; done
[ "$failures" = 0 ] || echo "$failures steps FAILED"
[ "$failures" = 0 ]
