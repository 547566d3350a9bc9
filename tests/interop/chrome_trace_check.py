#!/usr/bin/env python3
"""Checks Chrome trace files by the rules Perfetto reads them with.

Independent of parsim: it knows only the format. For every file: the container, the type of every
field, the events' kinds, slices that nest on each thread, flow arrows that bind to an open slice at
both ends and pair up one to one, counters with numeric values, metadata with known names.

usage: chrome_trace_check.py FILE...      exit 0: all good; 1: a rule is broken (the first is printed)
       chrome_trace_check.py --self-test  proves that every rule is noticed when broken
"""

import json
import sys
from bisect import bisect_right
from collections import defaultdict
from itertools import accumulate

METADATA = {
    "process_name": "name",
    "thread_name": "name",
    "process_sort_index": "sort_index",
    "thread_sort_index": "sort_index",
}
PHASES = "XMCsf"


class Broken(Exception):
    """A rule that does not hold."""


def require(condition, message):
    if not condition:
        raise Broken(message)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_id(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32


def to_ns(microseconds):
    """Perfetto stores round(1000 x)."""
    return round(1000 * microseconds)


def refuse_constant(text):
    raise Broken(f"{text} is not JSON")


def refuse_duplicates(pairs):
    keys = [key for key, _ in pairs]
    require(len(keys) == len(set(keys)), f"duplicate key among {keys}")
    return dict(pairs)


def read(text):
    try:
        trace = json.loads(text, parse_constant=refuse_constant, object_pairs_hook=refuse_duplicates)
    except json.JSONDecodeError as error:
        raise Broken(f"not JSON: {error}") from error
    if isinstance(trace, dict):
        require(isinstance(trace.get("traceEvents"), list), "no traceEvents array")
        require(trace.get("displayTimeUnit", "ms") in ("ms", "ns"), "displayTimeUnit is ms or ns")
        return trace["traceEvents"]
    require(isinstance(trace, list), "neither an array nor an object")
    return trace


def check_fields(event):
    require(isinstance(event, dict), "an event is an object")
    phase = event.get("ph")
    require(isinstance(phase, str) and len(phase) == 1 and phase in PHASES, f"ph is {phase!r}")
    require(is_id(event.get("pid")), "pid is an unsigned 32-bit integer")
    require(is_id(event.get("tid")), "tid is an unsigned 32-bit integer")
    require(isinstance(event.get("name"), str) and event["name"], "name is a string")
    require(isinstance(event.get("args", {}), dict), "args is an object")
    if phase == "M":
        return
    require(is_number(event.get("ts")) and event["ts"] >= 0, "ts is a number, not negative")
    require(event["ts"] < 2**53 / 1000, "ts keeps its nanoseconds")


def check_slice(event):
    require(is_number(event.get("dur")) and event["dur"] >= 0, "dur is a number, not negative")
    require(isinstance(event.get("cat", ""), str), "cat is a string")


def check_metadata(event):
    key = METADATA.get(event["name"])
    require(key is not None, f"unknown metadata {event['name']!r}")
    value = event.get("args", {}).get(key)
    if key == "name":
        require(isinstance(value, str) and value, f"{event['name']} has args.name")
    else:
        require(isinstance(value, int) and not isinstance(value, bool), f"{event['name']} has an integer")


def check_counter(event):
    require(event.get("args"), "a counter has a value")
    for value in event["args"].values():
        require(is_number(value), "a counter's values are numbers")


def check_flow(event):
    require(is_id(event.get("id")), "a flow's id is an integer (a string would be hexadecimal)")
    require(isinstance(event.get("cat"), str), "a flow has a cat")
    require(event["ph"] != "f" or event.get("bp") == "e", "f has bp e, else it binds to the next slice")


CHECKS = {"X": check_slice, "M": check_metadata, "C": check_counter, "s": check_flow, "f": check_flow}


def check_nesting(slices):
    """Slices of one thread are disjoint or nested."""
    for thread, spans in slices.items():
        open_ends = []
        for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            require(not open_ends or end <= open_ends[-1], f"{name!r} overlaps on thread {thread}")
            open_ends.append(end)


def check_arrows(flows, slices):
    """Both ends of every arrow exist once, in order, each inside an open slice of its thread."""
    starts, latest_ends = {}, {}
    for thread, spans in slices.items():
        ordered = sorted(spans)
        starts[thread] = [start for start, _, _ in ordered]
        latest_ends[thread] = list(accumulate((end for _, end, _ in ordered), max))
    for key, ends in flows.items():
        require(sorted(phase for phase, _, _ in ends) == ["f", "s"], f"flow {key} is not one s and one f")
        times = {phase: at for phase, at, _ in ends}
        require(times["s"] <= times["f"], f"flow {key} ends before it starts")
        for phase, at, thread in ends:
            begun = bisect_right(starts.get(thread, []), at)
            is_inside = begun and at < latest_ends[thread][begun - 1]
            require(is_inside, f"flow {key}: no slice open on {thread} at {at} ns for its {phase}")


def check_names(events):
    """Every process and thread with slices is named; nothing is named twice."""
    named = set()
    for event in events:
        if event["ph"] == "M":
            is_thread = event["name"].startswith("thread")
            key = (event["name"], event["pid"], event["tid"] if is_thread else None)
            require(key not in named, f"{key} is given twice")
            named.add(key)
    for event in events:
        if event["ph"] == "X":
            pid, tid = event["pid"], event["tid"]
            require(("process_name", pid, None) in named, f"process {pid} has no name")
            require(("thread_name", pid, tid) in named, f"thread {pid}/{tid} has no name")


def check(text):
    """Raises Broken at the first rule that does not hold; returns the number of events."""
    events = read(text)
    slices = defaultdict(list)
    flows = defaultdict(list)
    for number, event in enumerate(events):
        try:
            check_fields(event)
            CHECKS[event["ph"]](event)
        except Broken as broken:
            raise Broken(f"event {number}: {broken}") from broken
        thread = (event["pid"], event["tid"])
        if event["ph"] == "X":
            start = to_ns(event["ts"])
            slices[thread].append((start, start + to_ns(event["dur"]), event["name"]))
        elif event["ph"] in "sf":
            flows[(event["id"], event["cat"], event["name"])].append((event["ph"], to_ns(event["ts"]), thread))
    check_names(events)
    check_nesting(slices)
    check_arrows(flows, slices)
    return len(events)


def sample():
    names = []
    for pid in (0, 1):
        names.append({"ph": "M", "pid": pid, "tid": 0, "name": "process_name", "args": {"name": f"rank {pid}"}})
        names.append({"ph": "M", "pid": pid, "tid": 0, "name": "thread_name", "args": {"name": "compute"}})
    flow = {"id": 7, "cat": "transfer", "name": "message"}
    return names + [
        {"ph": "X", "pid": 0, "tid": 0, "ts": 0, "dur": 10.5, "name": "a", "args": {}},
        {"ph": "X", "pid": 0, "tid": 0, "ts": 10.5, "dur": 1, "name": "b"},
        {"ph": "X", "pid": 1, "tid": 0, "ts": 11, "dur": 4, "name": "c"},
        {"ph": "s", "pid": 0, "tid": 0, "ts": 10.5, **flow},
        {"ph": "f", "bp": "e", "pid": 1, "tid": 0, "ts": 11.0, **flow},
        {"ph": "C", "pid": 1, "tid": 0, "ts": 0, "name": "link", "args": {"GB/s": 1.5}},
    ]


def self_test():
    """Breaks a good trace in every way and sees that each is noticed."""
    assert check(json.dumps({"traceEvents": sample()})) == 10
    assert check(json.dumps(sample())) == 10
    edits = [
        (4, "dur", None), (4, "dur", -1), (4, "dur", "1"), (4, "dur", 10.6), (4, "ts", None), (4, "ts", -1),
        (4, "ts", True), (4, "ts", 1e15), (4, "pid", -1), (4, "pid", "0"), (4, "tid", 2**32), (4, "tid", 5),
        (4, "pid", 9), (4, "ph", "Q"), (4, "ph", "XX"), (4, "name", None), (4, "args", []), (4, "cat", 3),
        (0, "name", "process_label"), (0, "args", {}), (0, "args", {"name": 1}), (0, "pid", 1),
        (7, "id", "10"), (7, "id", 8), (7, "cat", "other"), (7, "name", "other"), (7, "ts", 11.5), (7, "ts", 12),
        (7, "tid", 1), (7, "ph", "f"), (8, "bp", None), (8, "ts", 15.0), (8, "ts", 10.9), (8, "tid", 3),
        (9, "args", {}), (9, "args", {"GB/s": "fast"}), (9, "args", {"GB/s": True}), (9, "ts", None),
    ]  # fmt: skip
    broken = []
    for place, key, value in edits:
        events = sample()
        if value is None:
            events[place].pop(key)
        else:
            events[place][key] = value
        broken.append((json.dumps({"traceEvents": events}), f"event {place} {key} {value!r}"))
    good = json.dumps(sample())
    broken += [
        (good[:-1], "no closing bracket"),
        (good.replace("1.5", "NaN"), "NaN"),
        (good.replace("1.5", "Infinity"), "Infinity"),
        (good.replace('"dur": 1,', '"dur": 1, "dur": 2,'), "duplicate key"),
        ("{}", "no events"),
        ("3", "a number"),
        ('{"traceEvents": [], "displayTimeUnit": "us"}', "unit"),
        ("[3]", "an event that is a number"),
        (json.dumps(sample() + [sample()[7]]), "a flow with two starts"),
        (json.dumps(sample()[:8] + sample()[9:]), "a flow without an end"),
    ]
    missed = []
    for text, what in broken:
        try:
            check(text)
            missed.append(what)
        except Broken:
            pass
    if missed:
        print("self-test: not noticed: " + "; ".join(missed), file=sys.stderr)
        return 1
    print(f"self-test: {len(broken)} broken traces, all noticed")
    return 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for path in arguments:
        try:
            with open(path, encoding="utf-8") as file:
                print(f"{path}: {check(file.read())} events, good")
        except (Broken, OSError, UnicodeDecodeError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
