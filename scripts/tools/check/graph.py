"""Compares the modules' imports with Package.swift and with the graph in Documentation/design/architecture.md.

Every module of the package that a source file imports has to be declared in Package.swift and stand in the graph, and
what is declared or drawn has to be imported. The page's rules (`A never reaches B, C`) hold for whatever a module
imports on Linux, directly or through others, modules of the toolchain included. Prints what differs, and exits with 1
then.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = "Documentation/design/architecture.md"
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)",
    re.MULTILINE,
)
# Modules of the toolchain that a rule may forbid.
OF_THE_SYSTEM = {"Darwin", "Foundation", "Glibc", "Synchronization"}
faults = []


def declared_modules():
    """From each target in Sources to the targets that it declares."""
    answer = subprocess.run(
        ["scripts/lib/swift-tool", "package", "dump-package"], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    modules = {}
    for target in json.loads(answer.stdout)["targets"]:
        folder = target.get("path") or f"Sources/{target['name']}"
        if target["type"] == "test" or not folder.startswith("Sources/"):
            continue
        names = set()
        for dependency in target["dependencies"]:
            [(kind, value)] = dependency.items()
            names.add(value[0])
        modules[target["name"]] = (folder, names)
    return modules


def imported(folder, on_linux=False):
    """What the Swift sources of a folder import; comments count for nothing."""
    names = set()
    for path in sorted((ROOT / folder).rglob("*.swift")):
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        # A module's folder of what is compiled on Apple's platforms alone.
        if not (on_linux and "Apple" in path.parts):
            names.update(IMPORT.findall(text))
    return names


def block(text, title):
    """The lines of the page's fenced block with this title."""
    found = re.search(rf"^```{title}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if not found:
        faults.append(f"{PAGE} has no block ```{title}")
        return []
    return [line.strip() for line in found.group(1).splitlines() if line.strip()]


def names_in(text):
    return {name.strip() for name in text.split(",") if name.strip()}


def closure(module, edges):
    reached, waiting = set(), [module]
    while waiting:
        for name in edges.get(waiting.pop(), ()):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return reached


def compare(module, imports, others, where):
    for name in sorted(imports - others):
        faults.append(f"{module} imports {name}, but {where} does not list that")
    for name in sorted(others - imports):
        faults.append(f"{where} says that {module} imports {name}, but none of its files does")


def main():
    declared = declared_modules()
    edges = {module: imported(folder) for module, (folder, _) in declared.items()}
    on_linux = {module: imported(folder, on_linux=True) for module, (folder, _) in declared.items()}
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    drawn = {}
    for line in block(page, "graph"):
        module, _, names = line.partition("->")
        if module.strip() in drawn:
            faults.append(f"{PAGE} has two lines for {module.strip()}")
        drawn[module.strip()] = names_in(names)
    for module in sorted(declared.keys() - drawn.keys()):
        faults.append(f"{PAGE} has no line for {module}")
    for module in sorted(drawn.keys() - declared.keys()):
        faults.append(f"{PAGE} has a line for {module}, which is not in Package.swift")
    for module in sorted(declared.keys() & drawn.keys()):
        imports = edges[module] & declared.keys()
        compare(module, imports, declared[module][1], "Package.swift")
        compare(module, imports, drawn[module], PAGE)
    for line in block(page, "rules"):
        found = re.fullmatch(r"(\w+) never reaches (.+)", line)
        if not found or found.group(1) not in declared:
            faults.append(f"{PAGE}: '{line}' is not a rule about a module")
            continue
        for name in sorted(names_in(found.group(2)) - declared.keys() - OF_THE_SYSTEM):
            faults.append(f"{PAGE}: '{line}' names {name}, which is not a module")
        for name in sorted(closure(found.group(1), on_linux) & names_in(found.group(2))):
            faults.append(f"{found.group(1)} reaches {name}, against the rule in {PAGE}")
    for fault in faults:
        print(f"check-graph: {fault}", file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
