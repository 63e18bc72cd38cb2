#!/usr/bin/env python3
"""Makes Markdown of what the stages of run.sh found.

    python3 table.py FOLDER

It reads check.txt, ogive.txt, rivals.txt, scaling.txt and environment.txt there, writes
the tables to table.md, and prints all but the last. What is missing is a dash.
"""

import os
import re
import sys

import cases

# A pass by digits reads float32 three times; what is hard may take that and a sample.
MOST_PASSES = 3.2


def lines(folder, name):
    path = os.path.join(folder, name + ".txt")
    if not os.path.exists(path):
        return []
    with open(path, errors="replace") as f:
        return f.read().splitlines()


def benchmarks(text):
    """The metrics of each benchmark by its name, or what went wrong instead."""
    found = {}
    for i, l in enumerate(text):
        if m := re.match(r"Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)", l):
            fields = m[2].split()
            found[m[1]] = dict(zip(fields[1::2], map(float, fields[::2])))
        elif m := re.match(r"\s*--- FAIL: Benchmark(\S+?)(?:-\d+)?$", l):
            said = text[i + 1].strip() if i + 1 < len(text) else ""
            found.setdefault(m[1], re.sub(r"^\w+_test\.go:\d+: ", "", said) or "failed")
        elif m := re.match(r"#step (.*): (FAILED.*), \d+ s$", l):
            found.setdefault("Speed/" + m[1], m[2])
    return found


def number(v):
    return "-" if v is None else f"{v:.3g}" if v < 1000 else f"{v:.0f}"


def table(head, rows):
    line = lambda cells: "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |"
    return [line(head), line(["---"] * len(head)), *map(line, rows), ""]


class Speed:
    """Our times, the others', and the bound: the bytes of a case at the speed of reading."""

    def __init__(self, folder):
        self.ours = {}
        for name, metrics in benchmarks(lines(folder, "ogive")).items():
            self.ours[name.removeprefix("Speed/")] = metrics
        self.rivals, self.versions = [], []
        for l in lines(folder, "rivals"):
            fields = l.split("\t")
            if len(fields) not in (4, 5) or l.startswith("#"):
                continue
            library, case, call, ms, note = (fields + [""])[:5]
            if case == "-":
                self.versions.append(f"{library} {note}")
            else:
                self.rivals.append((library, case, call, None if ms == "-" else float(ms), note))
        read = self.of("read float32 2^30")
        self.bandwidth = read.get("GB/s") if isinstance(read, dict) else None

    def of(self, case):
        return self.ours.get(case.replace(" ", "_"))

    def bound(self, metrics):
        return metrics["bytes"] / self.bandwidth / 1e6 if self.bandwidth else None

    def fastest(self, case):
        return min((r for r in self.rivals if r[1] == case and r[3] is not None), key=lambda r: r[3], default=None)


def main_table(s):
    rows = []
    for c in cases.read():
        if c["group"] != "main":
            continue
        m, rival = s.of(c["case"]), s.fastest(c["case"])
        goal_ms, goal_ratio = c["goal-ms"], c["goal-ratio"]
        goal = ", ".join(([f"{goal_ms:g} ms"] if goal_ms else []) + ([f"{goal_ratio:g} times"] if goal_ratio else [])) or "-"
        beside = [rival[2], number(rival[3])] if rival else ["-", "-"]
        if not isinstance(m, dict):
            rows.append([c["case"], "-", m or "-", "-", *beside, "-", goal, "-", "-"])
            continue
        ms = m["median-ms"]
        bound = None if c["op"] == "upload" else s.bound(m)
        ratio = rival[3] / ms if rival else None
        reached = []
        if goal_ms:
            reached.append("time" if ms <= goal_ms else "no time")
        if goal_ratio and ratio:
            reached.append("ratio" if ratio >= goal_ratio else "no ratio")
        rows.append([c["case"], number(bound), number(ms), number(m["GB/s"]), *beside, number(ratio), goal, ", ".join(reached) or "-", number(m.get("host-ms"))])
    return table(["case", "bound ms", "ogive ms", "GB/s", "fastest rival", "ms", "ratio", "goal on an H200", "reached", "on the host ms"], rows)


def worst_table(s):
    rows = []
    for c in cases.read():
        if c["group"] != "worst":
            continue
        m = s.of(c["case"])
        if not isinstance(m, dict):
            rows.append([c["case"], m or "-", "-", "-"])
            continue
        bound = s.bound(m)
        passes = m["median-ms"] / bound if bound else None
        rows.append([c["case"], number(m["median-ms"]), number(passes), "-" if passes is None else "yes" if passes <= MOST_PASSES else "NO"])
    return table(["hard data", "ogive ms", "times the bound", f"at most {MOST_PASSES}"], rows)


def scaling_table(folder):
    times = {}
    for name, m in benchmarks(lines(folder, "scaling")).items():
        case, workers = name.removeprefix("Scaling/").rsplit("/workers=", 1)
        if isinstance(m, dict):
            times.setdefault(case, {})[int(workers)] = m["ns/op"] / 1e6
    counts = sorted({w for t in times.values() for w in t})
    rows = []
    for case, t in times.items():
        cells = [number(t.get(w)) + (f" ({t[1] / t[w]:.1f})" if w > 1 and w in t and 1 in t else "") for w in counts]
        rows.append([case, *cells])
    return table(["on the host, ms (times faster)"] + [f"workers: {w}" for w in counts], rows) if rows else []


def binding_table(folder):
    rows = []
    for name, m in benchmarks(lines(folder, "ogive")).items():
        if name.startswith("Device/") and isinstance(m, dict):
            rows.append([name.removeprefix("Device/"), number(m["ns/op"] / 1000), number(m["MB/s"] / 1000) if "MB/s" in m else "-"])
    return table(["calls of the driver", "µs", "GB/s"], rows) if rows else []


def check_lines(folder):
    return ["* " + l.removeprefix("#step ") for l in lines(folder, "check") if l.startswith("#step ")]


def main(folder):
    s = Speed(folder)
    text = ["# A run on a GPU", ""]
    text += ["* " + l for l in lines(folder, "environment")]
    text += ["* libraries: " + (", ".join(s.versions) or "-")]
    text += [f"* reading: {number(s.bandwidth)} GB/s", "", "## Checks", ""]
    text += check_lines(folder) or ["none"]
    text += ["", "## Speed", "", *main_table(s), *worst_table(s), *binding_table(folder), *scaling_table(folder)]
    print("\n".join(text))
    text += ["## Every call of the others", ""]
    text += table(["case", "call", "ms", "note"], [[case, call, number(ms), note] for _, case, call, ms, note in s.rivals])
    with open(os.path.join(folder, "table.md"), "w") as f:
        f.write("\n".join(text))


if __name__ == "__main__":
    main(sys.argv[1])
