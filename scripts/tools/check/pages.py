"""Looks after what the pages of this repository point at.

Links have to lead to files and headings that are there; each page of Documentation is linked from another one, and scripts/README.md links to
each script. A type that Documentation/ or
SECURITY.md names in code font has to be declared in Sources. Prints what is not so, and exits with 1 then.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Names of fields, of systems and of places in examples are written like types.
NO_TYPES = {"AVPlayer", "Package", "Date", "ETag", "Host", "Allow", "Range", "Connection"}
DECLARATION = re.compile(r"\b(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)")
faults, linked = [], set()


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def without_code(page):
    page = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^    .*$|`[^`\n]*`", "", page, flags=re.MULTILINE)


def anchors(page):
    """Of the headings, as GitHub makes them."""
    found = re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


def compare_links(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text(path))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (pathlib.Path(path).parent / file) if file else pathlib.Path(path)
        if str(path) != str(there):
            linked.add(os.path.normpath(there))
        if not (ROOT / there).exists():
            faults.append(f"{path} links to {target}, which does not exist")
        elif anchor and anchor not in anchors(text(there)):
            faults.append(f"{path} links to {target}, but there is no such heading")


def compare_types(path, declared):
    page = re.sub(r"^```.*?^```$", "", text(path), flags=re.MULTILINE | re.DOTALL)
    folders = {folder.name for folder in (ROOT / "Sources").rglob("*") if folder.is_dir()}
    for name in re.findall(r"`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:\.[a-z]\w*)?`", page):
        if name not in declared | NO_TYPES | folders:
            faults.append(f"{path} names {name}, but no file in Sources declares it")


def compare_scripts():
    linked = set(re.findall(r"\]\(([^)\s]+)\)", text("scripts/README.md")))
    for path in sorted((ROOT / "scripts").glob("*.sh")):
        if path.name not in linked:
            faults.append(f"scripts/README.md does not say what {path.name} is for")


def main():
    # The pages of DocC link by names of their own, which `scripts/docs.sh` looks after.
    pages = [str(path.relative_to(ROOT)) for pattern in ("*.md", "Documentation/**/*.md", "certs/*.md", "scripts/*.md")
             for path in sorted(ROOT.glob(pattern))]
    declared = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        declared.update(DECLARATION.findall(path.read_text(encoding="utf-8")))
    for path in pages:
        compare_links(path)
        if path in ("Documentation/design/architecture.md", "Documentation/design/glossary.md", "SECURITY.md"):
            compare_types(path, declared)
    compare_scripts()
    for path in pages:
        if path not in linked and path.startswith("Documentation/"):
            faults.append(f"no other page links to {path}")
    for fault in faults:
        print(f"check-pages: {fault}", file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
