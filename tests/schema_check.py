"""Checks JSON documents against the JSON Schemas of docs/schema.

schema_check.py [--every-field] SCHEMA FILE [SCHEMA FILE ...]

A .jsonl file is checked line by line. --every-field also removes each field in turn and renames it:
the schema must notice, save for fields that it calls optional and for free-form maps.
Exit: 0 all as they should be, 1 not, 77 the Python module jsonschema is missing.
"""

import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: Python has no module jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

# Objects whose names are data, and what a sample leaves out where it is the default.
FREE = {"params", "baseline_params", "candidate_params", "task", "unavailable", "libraries", "values"}
OPTIONAL = {
    "sample": {"cpu_ns", "calls", "sm_clock_hz", "temp_c", "power_w", "flags"},
    "phase": {"series", "text", "open", "progress", "median_ns", "ci_ns", "left_s"},
    "probe": {"kernels", "device", "mode", "lab", "cache"},  # of the last two, the protocol says nothing
    "result": {"around_s"},  # of workers from before there was one
    "compare": {"mode"},
    "inspect": {"input", "wrong", "unit", "place", "answers", "trains"},
    "timing": {"series"},
    "error": {"request"},
}


def problems(validator, document):
    for error in validator.iter_errors(document):
        yield "/".join(map(str, error.absolute_path)) + ": " + error.message[:300]


def objects(value, path=()):
    """Every object in a document whose field names the schema knows, with its path."""
    if isinstance(value, dict):
        yield path, value
        for name, inner in value.items():
            if name not in FREE:
                yield from objects(inner, path + (name,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from objects(inner, path + (index,))


def at(document, path):
    for step in path:
        document = document[step]
    return document


def optional_fields(document, path):
    if "samples" in path:
        return OPTIONAL["sample"]
    if "ceilings" in path:
        return {"doubt"}
    if "checks" in path or path == ("check",):
        return {"right"}  # of a labelled test set alone
    if path == ("kernel",):
        return {"accuracy", "stamped"}  # of some kernels alone, and not of workers from before there was one
    return OPTIONAL.get(document.get("type"), set()) | {"t_s"} if not path else set()


def unnoticed(validator, document):
    """Fields whose loss the schema does not notice."""
    for path, value in objects(document):
        for name in value:
            if name in optional_fields(document, path):
                continue
            changed = copy.deepcopy(document)
            inner = at(changed, path)
            inner[name + "_renamed"] = inner.pop(name)
            if validator.is_valid(changed):
                yield "/".join(map(str, path + (name,)))


def documents(path):
    with open(path, encoding="utf-8") as file:
        if path.endswith(".jsonl"):
            for number, line in enumerate(file, 1):
                yield f"{path}:{number}", json.loads(line)
        else:
            yield path, json.load(file)


def main(arguments):
    every_field = "--every-field" in arguments
    paths = [a for a in arguments if not a.startswith("--")]
    wrong = 0
    for schema_path, document_path in zip(paths[::2], paths[1::2]):
        with open(schema_path, encoding="utf-8") as file:
            schema = json.load(file)
        kind = jsonschema.validators.validator_for(schema)
        kind.check_schema(schema)
        validator = kind(schema)
        for where, document in documents(document_path):
            found = list(problems(validator, document))
            if every_field and not found:
                found = [f"{field}: not missed by the schema" for field in unnoticed(validator, document)]
            for problem in found:
                print(f"{where}: {problem}")
            wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
