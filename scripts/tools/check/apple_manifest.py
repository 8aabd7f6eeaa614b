"""Writes the product's modules into Tests/ApplePlatform/Package.swift, from the product's own manifest.

That package builds what apps compile again, as for Apple's platforms: the same modules, dependencies and settings, and
the stand-ins for Apple's modules that a module's files import. The lines are between two marks.

With --check it writes nothing, and exits with 1 if the lines differ.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

from tools.arguments import arguments

ROOT = pathlib.Path(__file__).resolve().parents[3]
MANIFEST = ROOT / "Tests/ApplePlatform/Package.swift"
BEGIN, END = "    // Written by scripts/tools/check/apple_manifest.py, from here\n", "    // to here.\n"
APPS = ["FootageClient", "FootageClientTesting"]
STANDINS = {path.name for path in (ROOT / "Tests/ApplePlatform/Stubs").iterdir()}
ASKED = re.compile(r"canImport\((\w+)\)|^[^/\n]*\bimport (?:\w+ )?(\w+)", re.MULTILINE)


def product():
    answer = subprocess.run(
        [ROOT / "scripts/lib/swift-tool", "package", "--package-path", ROOT, "--scratch-path", ROOT / ".build/apple-manifest",
         "dump-package"], stdout=subprocess.PIPE, check=True, env={**os.environ, "FOOTAGE_STRICT": "1"})
    return {target["name"]: target for target in json.loads(answer.stdout)["targets"]}


def needs(target):
    """Those of the dependencies that Apple's platforms have."""
    for dependency in target["dependencies"]:
        [(_, value)] = dependency.items()
        condition = value[-1]
        if not condition or "linux" not in condition.get("platformNames", []):
            yield value[0]


def standins(name):
    folder = ROOT / "Sources" / name
    text = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.swift")) if "Linux" not in path.parts)
    return sorted({module for found in ASKED.findall(text) for module in found} & STANDINS)


def settings(target):
    """As Swift calls them, with what they name; without whether warnings are errors and memory safety is strict."""
    for setting in target["settings"]:
        [(kind, value)] = setting["kind"].items()
        if kind not in ("treatAllWarnings", "strictMemorySafety"):
            yield f'.{kind}("{value["_0"]}")'


def words(names):
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def lines():
    targets, order = product(), []

    def visit(name):
        if name in order or targets[name]["type"] == "system":
            return
        for other in needs(targets[name]):
            visit(other)
        order.append(name)

    for name in APPS:
        visit(name)
    common = list(settings(targets["FootageClient"]))
    for name in order:
        parts = [f'"{name}"', words(needs(targets[name]))]
        if asked := standins(name):
            parts.append(f"on: {words(asked)}")
        if (ROOT / "Sources" / name / "Linux").exists():
            parts.append('without: ["Linux"]')
        if own := [setting for setting in settings(targets[name]) if setting not in common]:
            parts.append(f"[{', '.join(own)}]")
        yield f"    product({', '.join(parts)}),\n"


def formatted(text):
    return subprocess.run(
        ["swift", "format", "--configuration", ROOT / ".swift-format", "-"], input=text, stdout=subprocess.PIPE, check=True,
        text=True).stdout


def main():
    text = MANIFEST.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"apple-manifest: {MANIFEST} does not have exactly two marks")
    head, rest = text.split(BEGIN)
    made = formatted(head + BEGIN + "".join(lines()) + END + rest.split(END)[1])
    if made == text:
        return
    if arguments(__doc__, options={"check": False}).check:
        sys.exit("apple-manifest: Tests/ApplePlatform/Package.swift does not match Package.swift: run scripts/tools/check/apple_manifest.py")
    MANIFEST.write_text(made, encoding="utf-8")


main()
