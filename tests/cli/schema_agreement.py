#!/usr/bin/python3
"""The JSON Schema agrees with the checker.

    schema_agreement.py PARSIM SOURCE_FOLDER

Every bad input that a schema can express is rejected by the schema that `parsim schema` prints,
nothing else is, and every scenario that ships is accepted by it.
"""
import json
import pathlib
import subprocess
import sys

import jsonschema

BETWEEN_VALUES = "a schema cannot compute with two values"
NOT_JSON = "it is not JSON, so no schema sees it"
READ_BY_PARSIM = "it rests on the models folder"
NUMBER_IN_TEXT = "the number inside a text cannot be compared"

BEYOND_A_SCHEMA = {
    "batch_not_divisible": BETWEEN_VALUES, "bucket_tiny": BETWEEN_VALUES,
    "blank": NOT_JSON,
    "comment": NOT_JSON,
    "duplicate_key": "JSON readers keep one of the two before a schema sees them",
    "empty": NOT_JSON,
    "heads_not_multiple_of_kv_heads": BETWEEN_VALUES,
    "hidden_not_multiple_of_heads": BETWEEN_VALUES,
    "interleaved_group": BETWEEN_VALUES,
    "interleaved_last_round": BETWEEN_VALUES,
    "interleaved_rounds": BETWEEN_VALUES,
    "layer_time_without_backward": "it depends on schedule.forward_only and on five other keys",
    "layers_not_divisible": BETWEEN_VALUES,
    "layers_per_stage_length": BETWEEN_VALUES,
    "layers_per_stage_sum": BETWEEN_VALUES,
    "naive_with_micro_batches": BETWEEN_VALUES,
    "nics_too_many": BETWEEN_VALUES,
    "not_utf8": NOT_JSON,
    "orders_length": BETWEEN_VALUES,
    "precision_without_peak": "the device may be a name",
    "quantity_overflow": NUMBER_IN_TEXT,
    "quantity_too_large": NUMBER_IN_TEXT,
    "ranks_not_devices": BETWEEN_VALUES,
    "ranks_too_many": BETWEEN_VALUES,
    "sequence_not_divisible": BETWEEN_VALUES,
    "sequence_too_long": BETWEEN_VALUES,
    "single_quotes": NOT_JSON,
    "sizes_overflow": BETWEEN_VALUES,
    "source_of_nothing": "a schema cannot follow a pointer",
    "tensor_not_dividing_heads": BETWEEN_VALUES,
    "tensor_not_dividing_kv_heads": BETWEEN_VALUES,
    "tensor_not_dividing_vocabulary": BETWEEN_VALUES,
    "too_many_tasks": BETWEEN_VALUES,
    "trailing_comma": NOT_JSON,
    "trailing_text": NOT_JSON,
    "truncated": NOT_JSON,
    "truncated_string": NOT_JSON,
    "unknown_network": READ_BY_PARSIM,
    "wrong_type_fraction": "to JSON Schema 24.0 is an integer",
}


def main():
    parsim, source = sys.argv[1], pathlib.Path(sys.argv[2])
    printed = subprocess.run([parsim, "schema"], check=True, capture_output=True, text=True).stdout
    schema = json.loads(printed)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = []

    bad = sorted((source / "tests/cli/bad_inputs").glob("*.json"))
    if len(bad) < 45:
        failures.append(f"only {len(bad)} bad inputs found")
    for unknown in BEYOND_A_SCHEMA.keys() - {path.stem for path in bad}:
        failures.append(f"{unknown}: listed, but there is no such file")
    for path in bad:
        excused = path.stem in BEYOND_A_SCHEMA
        try:
            rejected = not validator.is_valid(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, UnicodeDecodeError):
            rejected = False
            if not excused:
                failures.append(f"{path.name}: is not JSON; list it with that reason")
                continue
        if rejected and excused:
            failures.append(f"{path.name}: the schema does reject it; take it off the list")
        if not rejected and not excused:
            failures.append(f"{path.name}: the checker rejects it, the schema does not")

    shipped = sorted((source / "scenarios").rglob("*.json"))
    good = shipped + sorted((source / "tests/unit/data/scenarios").glob("*.json"))
    for path in good:
        for error in validator.iter_errors(json.loads(path.read_text(encoding="utf-8"))):
            failures.append(f"{path}: {error.json_path}: {error.message}")

    for failure in failures:
        print(failure)
    print(f"{len(bad)} bad inputs ({len(BEYOND_A_SCHEMA)} beyond a schema), {len(good)} good ones: "
          f"{len(failures)} failures")
    return 1 if failures or not good else 0


if __name__ == "__main__":
    sys.exit(main())
