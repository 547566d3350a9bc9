#!/usr/bin/env python3
"""The data in models/: every number has a source, keys and units are those of scenario.h, and the
networks have the parameters that their authors publish.

Usage: models_data_test.py [SOURCE_FOLDER]

The keys and their types are read from sim/scenario/scenario.h, so that the header stays the only
list of them.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]

NUMBER = r"[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?"
DATA = "(|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)(B|b)"
UNITS = {
    "Bytes": DATA,
    "BytesPerSecond": DATA + "/s",
    "Flops": "(|k|M|G|T|P)FLOP",
    "FlopsPerSecond": "(|k|M|G|T|P)FLOP/s",
    "Seconds": "(|m|u|n)s",
}
ANY_QUANTITY = re.compile(NUMBER + " (" + "|".join(UNITS.values()) + ")")

# Folder -> struct; a network names its own by "kind".
STRUCTS = {"devices": "Device", "nodes": "Node", "fabrics": "Fabric"}
NETWORK_KINDS = {"transformer": "TransformerModel", "layers": "LayerListModel"}

# What a file must say; the rest has defaults.
REQUIRED = {
    "TransformerModel": {"layers", "hidden", "heads", "vocabulary"},
    "LayerListModel": {"layers"},
    "Device": {"kind", "peak", "memory", "memory_bandwidth", "launch_overhead", "efficiency"},
    "Efficiency": {"gemm", "batched_gemm", "attention", "memory"},
    "Node": {"devices"},
    "Fabric": {"latency"},
    "LayerSpec": set(),
}

# Parameters as published: the released checkpoints, counted with tied tensors once.
PUBLISHED = {
    "gpt2-small": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
    "llama2-7b": 6_738_415_616,
    "llama2-13b": 13_015_864_320,
    "llama2-70b": 68_976_648_192,
    "llama3-8b": 8_030_261_248,
    "llama3-70b": 70_553_706_496,
    "llama3-405b": 405_853_388_800,
}

# Billions printed in arXiv 2104.04473, Table 1.
MEGATRON = {
    "1.7b": 1.7, "3.6b": 3.6, "7.5b": 7.5, "18b": 18.4, "39b": 39.1, "76b": 76.1, "145b": 145.6,
    "310b": 310.1, "530b": 529.6, "1t": 1008.0,
}

# Billions printed in arXiv 2005.14165, Table 2.1; rounded there to two digits or so.
GPT3 = {
    "125m": 0.125, "350m": 0.350, "760m": 0.760, "1.3b": 1.3, "2.7b": 2.7, "6.7b": 6.7, "13b": 13.0,
    "175b": 175.0,
}


def read_header():
    """Members of every struct (name -> type) and values of every enum, as JSON spells them."""
    text = (SOURCE / "sim/scenario/scenario.h").read_text()
    text = re.sub(r"//[^\n]*", "", text)
    enums = {name: {value.strip().replace("_", "-") for value in values.split(",")}
             for name, values in re.findall(r"enum class (\w+) \{([^}]*)\};", text)}
    structs = {}
    for name, body in re.findall(r"^struct (\w+) \{(.*?)^\};", text, re.S | re.M):
        members = re.findall(r"([\w:<>,\s]+?)\s+(\w+)\s*(?:=[^;]*|\{[^;]*\})?;", body)
        structs[name] = {member: " ".join(kind.split()) for kind, member in members}
    return structs, enums


STRUCT_MEMBERS, ENUM_VALUES = read_header()


def numbers(value, pointer=""):
    """JSON pointers of all numbers: plain ones and quantities with a unit."""
    if isinstance(value, dict):
        for key, member in value.items():
            if pointer or key not in ("sources", "name"):
                yield from numbers(member, f"{pointer}/{key}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from numbers(member, f"{pointer}/{index}")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield pointer
    elif isinstance(value, str) and ANY_QUANTITY.fullmatch(value):
        yield pointer


def resolves(document, pointer):
    """True when the pointer leads to something in the document."""
    if not pointer.startswith("/"):
        return False
    for part in pointer[1:].split("/"):
        if isinstance(document, dict) and part in document:
            document = document[part]
        elif isinstance(document, list) and part.isdigit() and int(part) < len(document):
            document = document[int(part)]
        else:
            return False
    return True


def covers(pointer, number):
    return number == pointer or number.startswith(pointer + "/")


def source_problems(document):
    """What is wrong with the sources of one file."""
    sources = document.get("sources", {})
    problems = [f"no source for {number}" for number in numbers(document)
                if not any(covers(pointer, number) for pointer in sources)]
    for pointer, text in sources.items():
        if not resolves(document, pointer):
            problems.append(f"source for {pointer}, which does not exist")
        if not isinstance(text, str) or len(text.strip()) < 8:
            problems.append(f"source for {pointer} says nothing")
        elif re.search(r"/work/|shared/data|\.\./", text):
            problems.append(f"source for {pointer} names a local path")
    return problems


def value_problems(value, kind, pointer):
    """What is wrong with one value that the header declares as C++ type `kind`."""
    optional = re.fullmatch(r"std::optional<(.*)>", kind)
    listed = re.fullmatch(r"std::vector<(.*)>", kind)
    by_key = re.fullmatch(r"std::map<(\w+), (\w+)>", kind)
    if optional:
        return value_problems(value, optional[1], pointer)
    if kind == "Sources":
        return [] if isinstance(value, dict) else [f"{pointer}: not an object"]
    if listed:
        return [problem for index, member in enumerate(value)
                for problem in value_problems(member, listed[1], f"{pointer}/{index}")]
    if by_key:
        unknown = set(value) - ENUM_VALUES[by_key[1]]
        return [f"{pointer}: unknown keys {sorted(unknown)}"] * bool(unknown) + [
            problem for key, member in value.items()
            for problem in value_problems(member, by_key[2], f"{pointer}/{key}")]
    if kind in STRUCT_MEMBERS:
        return struct_problems(value, kind, pointer)
    if kind in ENUM_VALUES:
        fits = value in ENUM_VALUES[kind]
    elif kind in UNITS:
        fits = isinstance(value, str) and re.fullmatch(f"{NUMBER} {UNITS[kind]}", value)
    elif kind == "std::int64_t":
        fits = type(value) is int and value >= 0
    elif kind == "double":
        fits = type(value) in (int, float) and value > 0
    elif kind == "bool":
        fits = type(value) is bool
    elif kind == "std::string":
        fits = isinstance(value, str) and value
    else:
        fits = False
    return [] if fits else [f"{pointer}: {value!r} is no {kind}"]


def struct_problems(value, struct, pointer="", extra=()):
    """What is wrong with an object that the header declares as `struct`."""
    members = STRUCT_MEMBERS[struct]
    problems = [f"{pointer}/{key}: unknown key of {struct}" for key in value
                if key not in members and key not in extra]
    problems += [f"{pointer}: {struct} lacks {key}" for key in REQUIRED[struct] - set(value)]
    for key, member in value.items():
        if key in members:
            problems += value_problems(member, members[key], f"{pointer}/{key}")
    return problems


def form_problems(folder, stem, document):
    """What is wrong with the keys, types and units of one file."""
    if folder == "networks":
        struct, extra = NETWORK_KINDS.get(document.get("kind")), ("kind",)
        if struct is None:
            return [f"kind is {document.get('kind')!r}"]
    else:
        struct, extra = STRUCTS[folder], ()
    problems = struct_problems(document, struct, extra=extra)
    if document.get("name") != stem:
        problems.append(f"name {document.get('name')!r} is not the file's")
    if struct == "Device":
        if document.get("kind") not in ("gpu", "tpu", "cpu"):
            problems.append(f"kind is {document.get('kind')!r}")
        problems += [f"/efficiency/{key}: {share} is not in (0, 1]"
                     for key, share in document.get("efficiency", {}).items()
                     if not 0 < share <= 1]
    return problems


def transformer_parameters(model):
    """Weights and biases of projections, MLP and norms, embedding, positions and output layer."""
    hidden = model["hidden"]
    feed = model.get("ffn_hidden") or 4 * hidden
    key_value = hidden // model["heads"] * (model.get("kv_heads") or model["heads"])
    up = 2 if model.get("activation") == "swiglu" else 1  # gate and up, or up alone
    weights = hidden * (hidden + 2 * key_value) + hidden * hidden + (up + 1) * hidden * feed
    biases = (hidden + 2 * key_value) + hidden + up * feed + hidden
    norm = hidden * (2 if model.get("normalisation", "layernorm") == "layernorm" else 1)
    layer = weights + (biases if model.get("bias", True) else 0) + 2 * norm
    tables = 1 if model.get("tied_embeddings", True) else 2
    return (model["layers"] * layer + norm + tables * model["vocabulary"] * hidden
            + model.get("max_positions", 0) * hidden)


def without(document, pointer):
    changed = copy.deepcopy(document)
    del changed["sources"][pointer]
    return changed


def read_models():
    return {(path.parent.name, path.name.removesuffix(".json")): json.loads(path.read_text())
            for path in sorted((SOURCE / "models").glob("*/*.json"))}


class HeaderTest(unittest.TestCase):
    """The reading of scenario.h, on which the other tests rest."""

    def test_structs(self):
        self.assertEqual(STRUCT_MEMBERS["Fabric"], {
            "name": "std::string", "kind": "FabricKind",
            "nodes_per_leaf": "std::optional<std::int64_t>",
            "oversubscription": "std::optional<double>", "latency": "Seconds",
            "sources": "Sources"})
        self.assertEqual(STRUCT_MEMBERS["Device"]["peak"], "std::map<Precision, FlopsPerSecond>")
        self.assertEqual(STRUCT_MEMBERS["TransformerModel"]["max_positions"], "std::int64_t")
        self.assertEqual(len(STRUCT_MEMBERS["Node"]), 13)

    def test_enums(self):
        self.assertEqual(ENUM_VALUES["NodeInterconnect"], {"nvswitch", "nvlink-pairs", "pcie"})
        self.assertEqual(ENUM_VALUES["Precision"], {"fp32", "tf32", "fp16", "bf16", "fp8"})


class FilesTest(unittest.TestCase):
    """Every file of models/."""

    def setUp(self):
        self.models = read_models()

    def test_all_folders(self):
        folders = {folder for folder, _ in self.models}
        self.assertEqual(folders, {"networks", "devices", "nodes", "fabrics"})
        self.assertGreater(len(self.models), 60)

    def test_form(self):
        for (folder, stem), document in self.models.items():
            with self.subTest(f"{folder}/{stem}"):
                self.assertEqual(form_problems(folder, stem, document), [])

    def test_sources(self):
        for (folder, stem), document in self.models.items():
            with self.subTest(f"{folder}/{stem}"):
                self.assertEqual(source_problems(document), [])
                self.assertTrue(any(numbers(document)))

    def test_links_of_nodes(self):
        """Each interconnect has the links it needs; no more cards than devices."""
        for (folder, stem), node in self.models.items():
            if folder != "nodes":
                continue
            with self.subTest(stem):
                kind = node.get("interconnect", "nvswitch")
                if kind != "pcie":
                    self.assertIn("device_bandwidth", node)
                    self.assertIn("device_latency", node)
                if kind != "nvswitch":
                    self.assertIn("pcie_bandwidth", node)
                    self.assertIn("pcie_latency", node)
                self.assertLessEqual(node.get("nics", 0), node["devices"])
                for key in ("device_link_efficiency", "nic_efficiency"):
                    self.assertLessEqual(node.get(key, 1), 1)

    def test_fabrics(self):
        for (folder, stem), fabric in self.models.items():
            if folder == "fabrics":
                with self.subTest(stem):
                    self.assertEqual("nodes_per_leaf" in fabric,
                                     fabric.get("kind") == "oversubscribed")
                    self.assertEqual("oversubscription" in fabric,
                                     fabric.get("kind") == "oversubscribed")


class FailureTest(unittest.TestCase):
    """The checks above find what is wrong."""

    def setUp(self):
        self.models = read_models()
        self.device = self.models["devices", "a100-sxm-80gb"]

    def test_each_source_is_needed(self):
        """Taking away any source leaves a number without one, unless a wider one covers it."""
        removed = 0
        for (folder, stem), document in self.models.items():
            for pointer in document["sources"]:
                rest = [other for other in document["sources"] if other != pointer]
                covered = [number for number in numbers(document) if covers(pointer, number)]
                if all(any(covers(other, number) for other in rest) for number in covered):
                    continue
                removed += 1
                with self.subTest(f"{folder}/{stem}{pointer}"):
                    self.assertNotEqual(source_problems(without(document, pointer)), [])
        self.assertGreater(removed, 200)

    def test_source_without_number(self):
        self.device["sources"]["/memory_size"] = "NVIDIA A100 datasheet"
        self.assertEqual(source_problems(self.device),
                         ["source for /memory_size, which does not exist"])

    def test_source_that_says_nothing(self):
        self.device["sources"]["/memory"] = " "
        self.assertEqual(source_problems(self.device), ["source for /memory says nothing"])

    def test_all_sources_removed(self):
        del self.device["sources"]
        count = len(list(numbers(self.device)))
        self.assertGreaterEqual(count, 8)
        self.assertEqual(len(source_problems(self.device)), count)

    def form(self, **change):
        return form_problems("devices", "a100-sxm-80gb", {**self.device, **change})

    def test_forms(self):
        self.assertEqual(self.form(), [])
        for change in ({"memory": "80GiB"}, {"memory": "80 gib"}, {"memory": 80},
                       {"memory": "80 GiB/s"}, {"memory_bandwidth": "2039 KB/s"},
                       {"launch_overhead": "3 µs"}, {"kind": "GPU"}, {"name": "a100"},
                       {"peak": {"bfloat16": "312 TFLOP/s"}}, {"peak": {"bf16": "312 TFLOPS"}},
                       {"clock": "1410 MHz"},
                       {"efficiency": {**self.device["efficiency"], "gemm": 1.2}},
                       {"efficiency": {"gemm": 0.8}}):
            with self.subTest(change):
                self.assertEqual(len(set(self.form(**change))) > 0, True)


class ParametersTest(unittest.TestCase):
    """Networks against what their authors print."""

    def setUp(self):
        self.networks = {stem: document for (folder, stem), document in read_models().items()
                         if folder == "networks"}

    def test_published(self):
        for stem, expected in PUBLISHED.items():
            with self.subTest(stem):
                self.assertEqual(transformer_parameters(self.networks[stem]), expected)

    def test_megatron(self):
        for size, billions in MEGATRON.items():
            with self.subTest(size):
                found = transformer_parameters(self.networks["megatron-" + size])
                self.assertAlmostEqual(found / 1e9, billions, delta=0.051)

    def test_gpt3(self):
        for size, billions in GPT3.items():
            with self.subTest(size):
                found = transformer_parameters(self.networks["gpt3-" + size])
                self.assertAlmostEqual(found / 1e9 / billions, 1, delta=0.03)

    def test_every_transformer_is_counted(self):
        counted = set(PUBLISHED) | {"megatron-" + size for size in MEGATRON} \
            | {"gpt3-" + size for size in GPT3}
        self.assertEqual(counted, {stem for stem, document in self.networks.items()
                                   if document["kind"] == "transformer"})

    def test_learned_positions(self):
        for stem, model in self.networks.items():
            if model["kind"] == "transformer":
                with self.subTest(stem):
                    learned = model.get("positions", "learned") == "learned"
                    self.assertEqual("max_positions" in model, learned)

    def test_heads_divide(self):
        for stem, model in self.networks.items():
            if model["kind"] == "transformer":
                with self.subTest(stem):
                    self.assertEqual(model["hidden"] % model["heads"], 0)
                    self.assertEqual(model["heads"] % model.get("kv_heads", model["heads"]), 0)

    def test_resnet(self):
        """torchvision's resnet50: 25,557,032 parameters and 4,089,184,256 multiply-adds."""
        layers = self.networks["resnet-50"]["layers"]

        def total(value):
            return sum(layer.get("repeat", 1) * value(layer) for layer in layers)

        def flops(layer):
            return int(layer["forward_flops"].removesuffix(" FLOP"))

        self.assertEqual(total(lambda layer: layer["parameters"]), 25_557_032)
        self.assertEqual(total(flops), 2 * 4_089_184_256)

    def test_resnet_is_generated(self):
        made = subprocess.run([sys.executable, SOURCE / "tools/make_resnet50"], check=True,
                              stdout=subprocess.PIPE).stdout
        self.assertEqual(json.loads(made), self.networks["resnet-50"])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
        STRUCT_MEMBERS, ENUM_VALUES = read_header()
    unittest.main()
