#!/usr/bin/python3
"""Every shipped scenario passes the check and runs on both engines; every trace obeys the trace rules.

    scenarios.py PARSIM SOURCE_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def main():
    parsim, source = sys.argv[1], pathlib.Path(sys.argv[2])
    checker = source / "tests/interop/chrome_trace_check.py"
    failures = 0
    scenarios = sorted(source.glob("scenarios/*/*.json"))
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        for scenario in scenarios:
            for engine in ("simgrid", "graph"):
                run = subprocess.run([parsim, "run", str(scenario), "--engine", engine, "--json", "--trace", str(trace)],
                                     capture_output=True, text=True, timeout=60)
                problem = run.stderr if run.returncode else ""
                if not problem:
                    report = json.loads(run.stdout)
                    parts = sum(report["breakdown_s"].values())
                    if abs(parts - report["step_time_s"]) > 1e-9 * report["step_time_s"]:
                        problem = f"the breakdown adds up to {parts}, not {report['step_time_s']}"
                if not problem:
                    check = subprocess.run([sys.executable, str(checker), str(trace)], capture_output=True, text=True)
                    problem = "" if check.returncode == 0 else check.stdout + check.stderr
                if problem:
                    failures += 1
                    print(f"{scenario} ({engine}): {problem}")
    print(f"{len(scenarios)} scenarios, {failures} failures")
    return 1 if failures or len(scenarios) < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
