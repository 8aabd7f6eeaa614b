"""Checks the documentation comments of Sources and Tests as a reader of Quick Help sees them: each on its own.

Each type must have a comment that is attached to it, because tools do not show one above the imports. A summary is a complete
sentence: it begins with a capital letter, a digit or code, not with a word by which a clause hides its subject. Each paragraph ends
like a sentence. If paths are given, only those are checked. Prints each fault, and exits with 1 if there is one.
"""

import pathlib
import re
import subprocess
import sys

from tools.arguments import arguments

ROOT = pathlib.Path(__file__).resolve().parents[3]
TYPE = re.compile(
    r"(?:(?:public|package|internal|private|fileprivate|final|indirect|nonisolated)\s+)*"
    r"(?:struct|class|enum|actor|protocol)\s+(\w+)")
COMMENT = re.compile(r"\s*///(?: (.*)|())$")
FIRST_WORDS = {"What", "Who", "Whose", "Whoever", "Whether", "Of", "Where", "By", "And", "In", "As"}
# How a sentence, an introduction, a table, a list of parameters or a fence ends.
END = re.compile(r"[.:?!|…][)\"'`”*]*$|^```|^[-*+] |^\d+\. |^\|")
faults = []


def fault(path, number, words):
    faults.append(f"{path}:{number}: {words}")


def comments(lines):
    """Each documentation comment: the number of its first line, and its lines without their marks."""
    found, start = [], 0
    for number, line in enumerate([*lines, ""], 1):
        matched = COMMENT.match(line)
        if matched:
            if not found:
                start = number
            found.append(matched[1] or "")
        elif found:
            yield start, found
            found = []


def paragraphs(comment):
    """Of its text, each with the number of its last line; fences are left out."""
    paragraph, is_code = [], False
    for number, line in enumerate([*comment, ""]):
        if line.startswith("```"):
            is_code = not is_code
            paragraph = []
        elif is_code:
            continue
        elif line.strip():
            paragraph.append(line)
        elif paragraph:
            yield number - 1, paragraph
            paragraph = []


def check_summary(path, start, comment):
    first = comment[0].strip()
    word = re.match(r"[\w'’-]+", first)
    if word and word[0] in FIRST_WORDS:
        fault(path, start, f"a summary begins with '{word[0]}': {first}")
    elif first[:1].islower():
        fault(path, start, f"a summary does not begin with a capital letter: {first}")
    for last, paragraph in paragraphs(comment):
        if not END.search(paragraph[-1].strip()) and not END.search(paragraph[0].strip()):
            fault(path, start + last, f"a paragraph does not end like a sentence: {paragraph[-1].strip()}")


def check_types(path, lines):
    for number, line in enumerate(lines):
        declared = TYPE.match(line)
        if not declared:
            continue
        above = number - 1
        while above >= 0 and lines[above].startswith("@"):
            above -= 1
        if above < 0 or not lines[above].startswith("///"):
            fault(path, number + 1, f"{declared[1]} has no documentation attached to it")


def main():
    named = arguments(__doc__, "paths*").paths or ["Sources", "Tests"]
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "--", *named], stdout=subprocess.PIPE, text=True, check=True).stdout
    for path in sorted(path for path in listed.splitlines() if path.endswith(".swift") and (ROOT / path).exists()):
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        if path.startswith("Sources/"):
            check_types(path, lines)
        for start, comment in comments(lines):
            check_summary(path, start, comment)
    for words in faults:
        print(words, file=sys.stderr)
    return f"check.comments: {len(faults)} faults" if faults else 0


if __name__ == "__main__":
    sys.exit(main())
