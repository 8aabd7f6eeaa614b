"""Looks whether each type of Sources has a comment that belongs to it: tools show none that stands above the imports."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
DECLARATION = re.compile(
    r"(?:(?:public|package|internal|private|fileprivate|final|indirect|nonisolated)\s+)*"
    r"(?:struct|class|enum|actor|protocol)\s+(\w+)")

missing = []
for path in sorted((ROOT / "Sources").rglob("*.swift")):
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        declared = DECLARATION.match(line)
        if not declared:
            continue
        above = number - 1
        while above >= 0 and lines[above].startswith("@"):
            above -= 1
        if above < 0 or not lines[above].startswith("///"):
            missing.append(f"{path.relative_to(ROOT)}:{number + 1}: {declared[1]} has no documentation attached to it")
if missing:
    sys.exit("\n".join(missing))
