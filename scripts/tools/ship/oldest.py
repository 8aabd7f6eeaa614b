"""Compares a program with the oldest system that its package supports.

That is Ubuntu 22.04, as far as its libraries go. No library function may have a newer version than there. SQLite's functions have no
versions, so none may be one that was added later, and no SQL in the sources may use later features. Prints what is too new, and exits
with 1 if anything is. The package itself was not installed there. --depends prints the package's dependencies.
"""

import pathlib
import re
import subprocess
import sys

from tools.arguments import arguments

ROOT = pathlib.Path(__file__).resolve().parents[3]

# What the libraries of Ubuntu 22.04 have: their packages, and the newest version of a function by the name of its series.
DEPENDS = ["libc6 (>= 2.35)", "libgcc-s1", "libssl3 (>= 3.0.0)", "libsqlite3-0 (>= 3.37)", "libstdc++6 (>= 12)"]
NEWEST = {"GLIBC": (2, 35), "OPENSSL": (3, 0, 0), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}

# https://www.sqlite.org/changes.html, after 3.37.
NEWER_FUNCTIONS = {
    "sqlite3_error_offset": "3.38", "sqlite3_vtab_distinct": "3.38", "sqlite3_vtab_in": "3.38", "sqlite3_vtab_in_first": "3.38",
    "sqlite3_vtab_in_next": "3.38", "sqlite3_vtab_rhs_value": "3.38", "sqlite3_db_name": "3.39", "sqlite3_value_encoding": "3.40",
    "sqlite3_is_interrupted": "3.41", "sqlite3_stmt_explain": "3.43", "sqlite3_get_clientdata": "3.44",
    "sqlite3_set_clientdata": "3.44", "sqlite3_setlk_timeout": "3.50", "sqlite3_db_status64": "3.51", "sqlite3_carray_bind": "3.51",
}
NEWER_SQL = {
    r"->>?\s*'": "the operators -> and ->> (3.38)", r"\bunixepoch\s*\(": "unixepoch() (3.38)", r"(?<!strftime)\bformat\s*\(": "format() (3.38)",
    r"\b(RIGHT|FULL)\s+(OUTER\s+)?JOIN\b": "RIGHT and FULL JOIN (3.39)", r"\bIS\s+(NOT\s+)?DISTINCT\s+FROM\b": "IS DISTINCT FROM (3.39)",
    r"\bunhex\s*\(": "unhex() (3.41)", r"\b(octet_length|timediff)\s*\(": "octet_length() and timediff() (3.43)",
    r"\b(concat|concat_ws|string_agg)\s*\(": "concat(), concat_ws() and string_agg() (3.44)", r"\bjsonb?_(pretty|array_insert)\b": "json_pretty() (3.46)",
    r"\bjsonb\w*\s*\(": "jsonb (3.45)", r"\b(median|percentile\w*)\s*\(": "median() and percentile() (3.47)",
    r"\bSELECT\s[^;]*\bif\s*\(": "if() (3.48)", r"group_concat\s*\([^)]*\bORDER\s+BY\b": "ORDER BY in an aggregate (3.44)",
}
# A literal of Swift's, in three quotes or one.
LITERAL = re.compile(r'"""(.*?)"""|"((?:\\.|[^"\\\n])*)"', re.DOTALL)
IS_SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA|WHERE|JOIN|ORDER BY|ALTER|DROP)\b")


def too_new_symbols(program):
    said = subprocess.run(["readelf", "-W", "--dyn-syms", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in said.splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[6] != "UND":
            continue
        name, _, version = fields[7].partition("@")
        if name in NEWER_FUNCTIONS:
            yield f"{name} came with SQLite {NEWER_FUNCTIONS[name]}"
        found = re.fullmatch(r"@?([A-Z]+)_([0-9.]+)", version)
        if found and found[1] in NEWEST and tuple(map(int, found[2].split("."))) > NEWEST[found[1]]:
            yield f"{name} is of {found[1]} {found[2]}, and the newest there is {'.'.join(map(str, NEWEST[found[1]]))}"


def too_new_sql(sources):
    for path in sorted(sources.rglob("*.swift")):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"^(?:\w+ )?import FootageSystem$", text, re.MULTILINE):
            continue
        for literal in LITERAL.finditer(text):
            words = literal[1] or literal[2] or ""
            if not IS_SQL.search(words):
                continue
            for pattern, what in NEWER_SQL.items():
                if re.search(pattern, words, re.IGNORECASE):
                    line = text.count("\n", 0, literal.start()) + 1
                    yield f"{path}:{line}: {what} is newer than SQLite 3.37"


def main():
    given = arguments(__doc__, "program*", options={"depends": False})
    if given.depends:
        print(", ".join(DEPENDS))
        return 0
    if not 1 <= len(given.program) <= 2:
        sys.exit("check-oldest: name a program")
    program, *sources = given.program
    faults = [*too_new_symbols(program), *too_new_sql(pathlib.Path(*sources) if sources else ROOT / "Sources")]
    for fault in faults:
        print(f"check-oldest: {fault}", file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
