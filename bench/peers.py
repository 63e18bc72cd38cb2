"""The Python side of the side-by-side measurements.

It reads one JSON request a line from standard input and answers each with one
JSON object a line on standard output. An answer with "error" reports what a
request raised; the process goes on.

  {"op": "hello", "threads": 2}             -> {"versions": {...}, "missing": {...}}
  {"op": "load", "x": path, "test": path or "", "qs": [...], "bfloat16": bool}
  {"op": "time", "expr": "np.median(x)", "loops": 1, "repeat": 3} -> {"ms": [per call, ...]}
  {"op": "answer", "expr": "np.median(x)", "path": path}   (the result, as npy)

Expressions see the libraries np, torch, bn and pd, and of the data loaded last
  x, test, q      the NumPy arrays (x is None for bfloat16, which NumPy lacks); test are the keys of groups too
  tx, ttest, tq   the same memory as torch tensors; tq in the dtype of tx where it is float32 or float64
  px              x as a pandas Series
  w, tw           the memory of x as 8-byte words
  out, tout       bool arrays of the shape of x
"""

import importlib
import json
import os
import sys
import timeit
import warnings

LIBRARIES = {"numpy": "np", "torch": "torch", "bottleneck": "bn", "pandas": "pd"}

env = {}  # what expressions see
timers = {}  # by expression, for the data loaded


def hello(r):
    versions, missing = {}, {}
    for name, short in LIBRARIES.items():
        try:
            env[short] = importlib.import_module(name)
            versions[name] = str(env[short].__version__)
        except Exception as e:
            missing[name] = f"{type(e).__name__}: {e}"
    if "torch" in env:
        env["torch"].set_num_threads(r["threads"])
    versions["python"] = sys.version.split()[0]
    return {"versions": versions, "missing": missing}


def load(r):
    np, torch, pd = env["np"], env.get("torch"), env.get("pd")
    timers.clear()
    for name in ("x", "tx", "px", "w", "tw", "out", "tout", "test", "ttest", "q", "tq"):
        env.pop(name, None)
    x = np.load(r["x"])
    if r["bfloat16"]:
        x = x.view(np.int16)
    words = x.reshape(-1).view(np.uint8)
    env["w"] = words[: words.size // 8 * 8].view(np.int64)
    env["x"] = None if r["bfloat16"] else x
    env["out"] = np.empty(x.shape, bool)
    env["q"] = np.array(r["qs"])
    if r["test"]:
        env["test"] = np.load(r["test"])
    if pd is not None and x.ndim == 1:
        env["px"] = pd.Series(x)
    if torch is not None:
        tx = torch.from_numpy(x)
        env["tx"] = tx.view(torch.bfloat16) if r["bfloat16"] else tx
        env["tw"] = torch.from_numpy(env["w"])
        env["tout"] = torch.from_numpy(env["out"])
        env["tq"] = torch.tensor(r["qs"], dtype=tx.dtype if tx.dtype in (torch.float32, torch.float64) else None)
        if r["test"]:
            env["ttest"] = torch.from_numpy(env["test"])
    return {}


def time(r):
    expr = r["expr"]
    if expr not in timers:
        timers[expr] = timeit.Timer(expr, globals=env)
    return {"ms": [1e3 * timers[expr].timeit(r["loops"]) / r["loops"] for _ in range(r["repeat"])]}


def answer(r):
    np, torch = env["np"], env.get("torch")
    a = eval(r["expr"], env)
    if torch is not None and isinstance(a, torch.Tensor):
        a = (a.float() if a.dtype == torch.bfloat16 else a).numpy()
    a = np.asarray(a)
    np.save(r["path"], a if a.dtype == bool else a.astype(np.float64))
    return {}


def main():
    # Whatever else writes to standard output must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        r = json.loads(line)
        try:
            reply = {"hello": hello, "load": load, "time": time, "answer": answer}[r["op"]](r)
        except Exception as e:
            reply = {"error": f"{type(e).__name__}: {e}".splitlines()[0]}
        print(json.dumps(reply), file=answers, flush=True)


if __name__ == "__main__":
    main()
