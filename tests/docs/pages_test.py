#!/usr/bin/python3
"""What the pages say of tools, scenarios and messages holds. (Commands and links: tests/cli/docs.py.)

    pages_test.py PARSIM SOURCE_FOLDER
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from harness import Cli  # noqa: E402

TOOL = re.compile(r"(?<![\w/.-])tools/[\w./-]*\w")


def named_tools_exist(cli, pages):
    """Every tools/… a page names is there, and can be run when it has no ending."""
    named = set()
    for page in pages:
        for tool in TOOL.findall(page.read_text(encoding="utf-8")):
            named.add(tool)
            path = cli.source / tool
            cli.check(path.exists(), f"{page.name}: {tool} exists")
            cli.check(path.suffix or os.access(path, os.X_OK), f"{page.name}: {tool} can be run")
    cli.check({"tools/quickstart", "tools/test"} <= named, "the pages name the two commands", named)


def first_commands(cli):
    """README opens with quickstart and test, before anything else."""
    blocks = re.findall(r"^```.*?\n(.*?)^```$", (cli.source / "README.md").read_text(encoding="utf-8"),
                        re.MULTILINE | re.DOTALL)
    lines = [line.split()[0] for line in blocks[0].splitlines()]
    cli.check(lines == ["tools/quickstart", "tools/test"], "README opens with the two commands", lines)


def common_mistakes(cli):
    """Each message quoted in docs/scenario.md is word for word one that a test provokes."""
    text = (cli.source / "docs/scenario.md").read_text(encoding="utf-8").split("most common mistakes")[1]
    quoted = re.findall(r"^\| `(/[^`]+)` \|", text, re.MULTILINE)
    expected = "\n".join(path.read_text(encoding="utf-8")
                         for path in (cli.source / "tests/cli/bad_inputs").glob("*.expected"))
    cli.check(len(quoted) == 5, "five mistakes are quoted", quoted)
    for message in quoted:
        cli.check(f": {message}\n" in expected, f"docs/scenario.md quotes the program: {message}")


def scenarios(cli):
    """Every shipped scenario says what to look at, names the schema that is there, and passes the check."""
    found = sorted((cli.source / "scenarios").glob("**/*.json"))
    cli.check(len(found) >= 15, "the scenarios are there", found)
    for path in found:
        content = json.loads(path.read_text(encoding="utf-8"))
        cli.check((path.parent / content.get("$schema", "none")).is_file(), f"{path.name}: $schema leads to a file")
        cli.check(content.get("name") == path.stem, f"{path.name}: its name is its file's")
        cli.check(len(content.get("description", "")) > 20, f"{path.name}: it is described")
        run = cli.run("check", path)
        cli.check(run.returncode == 0, f"parsim check {path.name}", run.stderr)


def main():
    cli = Cli()
    pages = [page for pattern in ("*.md", "docs/*.md", "sim/README.md", "results/**/*.md")
             for page in sorted(cli.source.glob(pattern))]
    named_tools_exist(cli, pages)
    first_commands(cli)
    common_mistakes(cli)
    scenarios(cli)
    cli.finish()


if __name__ == "__main__":
    main()
