#!/usr/bin/python3
"""Seeded mutations of every shipped scenario run, or end with a message: never a crash, a hang or "this is a bug".

    scenario_fuzz.py PARSIM SOURCE_FOLDER [COUNT]

Names of models are resolved first, so that device, node and fabric are mutated too.
"""
import copy
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

INTEGERS = [-1, 0, 1, 2, 3, 7, 8, 12, 64, 1000, 99991, 2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**64, 10**30]
TEXTS = ["", "0 B", "1 B", "1e-300 s", "1e300 GB/s", "NaN s", "inf B", "-1 GB/s", "5 us", "400 Gb/s", "1 B/s", "1 FLOP/s",
         "1e-9 ns", "9007199254740993 B", "80 GiB", "1f1b", "explicit", "naive", "full", "\u0000", "\U0001f680", "a" * 5000]
OTHERS = [None, True, False, [], {}, 1.5, -0.0, 1e308, 5e-324, 0.999, [[[]]], [1, 2], {"kind": "layers"}]
MEMORY = 6 * 2**30
SECONDS = 30


def paths(value, prefix=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield prefix + (key,)
        yield from paths(item, prefix + (key,))


def mutate(scenario, source):
    result = copy.deepcopy(scenario)
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        *parents, last = source.choice(list(paths(result)))
        place = result
        for key in parents:
            place = place[key]
        old = place[last]
        kind = source.random()
        if kind < 0.1:
            del place[last]
        elif isinstance(old, bool) or kind < 0.25:
            place[last] = source.choice(OTHERS)
        elif isinstance(old, int):
            place[last] = source.choice(INTEGERS + [old * 2, old + 1, old // 2])
        elif isinstance(old, str):
            place[last] = source.choice(TEXTS)
        else:
            place[last] = source.choice(OTHERS)
    return result


def main():
    parsim, root = sys.argv[1], pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    resolved = []
    for path in sorted(root.glob("scenarios/*/*.json")):
        text = subprocess.run([parsim, "check", str(path), "--print-resolved"], check=True, capture_output=True).stdout
        resolved.append(json.loads(text))
    source = random.Random(20261201)
    codes, failures = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "scenario.json"
        for index in range(count):
            file.write_text(json.dumps(mutate(source.choice(resolved), source)))
            engine = source.choice(("graph", "simgrid"))
            try:
                run = subprocess.run([parsim, "run", str(file), "--engine", engine, "--json"], capture_output=True,
                                     text=True, timeout=SECONDS,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
                code = run.returncode
                problem = "" if code in (0, 1, 2) and bool(run.stderr) == (code != 0) else run.stderr[-500:] or "silent"
                if code == 0:
                    report = json.loads(run.stdout)
                    parts = sum(value if value is not None else float("nan") for value in report["breakdown_s"].values())
                    if not abs(parts - (report["step_time_s"] or 0)) <= 1e-9 * (report["step_time_s"] or 0):
                        problem = f"breakdown {parts} against {report['step_time_s']}"
            except subprocess.TimeoutExpired:
                code, problem = "timeout", f"longer than {SECONDS} s"
            codes[code] = codes.get(code, 0) + 1
            if problem:
                failures += 1
                kept = pathlib.Path(tempfile.gettempdir()) / f"parsim-fuzz-{index}.json"
                kept.write_text(file.read_text())
                print(f"mutation {index} ({engine}), kept as {kept}: exit {code}: {problem}")
    print(f"{count} mutations, exit codes {codes}, {failures} failures")
    return 1 if failures or codes.get(0, 0) < count // 20 else 0


if __name__ == "__main__":
    sys.exit(main())
