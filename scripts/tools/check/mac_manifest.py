"""Checks the package that Package.swift describes on a Mac.

In a copy of the manifest the condition `os(Linux)` is made one that is false here, so that the package manager evaluates
the other branch, and loads the package. Then:

- No target that is left depends on a target that only Linux has, through others or directly.
- No file of a target that is left imports a module that only Linux has, unless the file is left out on a Mac as a
  whole: its first line is `#if !canImport(…)` of one of Apple's modules, or `#if canImport(…)` of one of Linux's.
- Both libraries are there, and tests are.

Exits with 1 where something is wrong.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Of the system, what a Mac does not have.
OF_LINUX = {"Glibc", "FoundationNetworking"}
OF_APPLE = "AVFoundation|CoreMedia|CryptoKit|Darwin|Network|Security|SwiftUI"
IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)",
    re.MULTILINE,
)


def asked(folder, *words):
    answer = subprocess.run(
        [ROOT / "scripts/lib/swift-tool", "package", "--package-path", str(folder), "--scratch-path", ROOT / ".build/mac-manifest",
         *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    if answer.returncode != 0:
        sys.exit(f"check-mac-manifest: the manifest cannot be loaded as on a Mac:\n{answer.stderr}")
    return json.loads(answer.stdout)


def folder(target):
    base = "Tests" if target["type"] == "test" else "Sources"
    return ROOT / (target.get("path") or f"{base}/{target['name']}")


def depends(target):
    for dependency in target["dependencies"]:
        [(_, value)] = dependency.items()
        yield value[0]


def imported(path, linux):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    # Which module is imported may depend on the platform.
    text = re.sub(rf"#if canImport\((?:{OF_APPLE})\)\n([^#]*)#else\n[^#]*#endif", r"\1", text)
    text = re.sub(r"#if canImport\(FoundationNetworking\)\n[^#]*#else\n([^#]*)#endif", r"\1", text)
    first = text.lstrip().split("\n", 1)[0]
    if re.fullmatch(rf"#if !canImport\((?:{OF_APPLE})\)", first):
        return set()
    of_linux = re.fullmatch(r"#if canImport\((\w+)\)", first)
    if of_linux and of_linux.group(1) in linux:
        return set()
    return set(IMPORT.findall(text))


def main():
    here = {target["name"]: target for target in asked(ROOT, "dump-package")["targets"]}
    with tempfile.TemporaryDirectory() as copy:
        manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
        if "#if os(Linux)" not in manifest:
            sys.exit("check-mac-manifest: Package.swift has no condition os(Linux)")
        pathlib.Path(copy, "Package.swift").write_text(
            manifest.replace("#if os(Linux)", "#if os(Windows)"), encoding="utf-8")
        for name in ["Sources", "Tests"]:
            pathlib.Path(copy, name).symlink_to(ROOT / name)
        dumped = asked(copy, "dump-package")
        # Loads the targets' folders, too, and refuses a dependency that is not there.
        described = asked(copy, "describe", "--type", "json")
    mac = {target["name"]: target for target in dumped["targets"]}
    linux = here.keys() - mac.keys()
    faults = []
    for name in sorted(mac):
        for other in depends(mac[name]):
            if other not in mac:
                faults.append(f"{name} depends on {other}, which a Mac does not have")
        for path in sorted(folder(mac[name]).rglob("*.swift")):
            excluded = any((folder(mac[name]) / one) in [path, *path.parents] for one in mac[name]["exclude"])
            for module in sorted(imported(path, linux) & (linux | OF_LINUX)) if not excluded else []:
                faults.append(f"{path.relative_to(ROOT)} imports {module}, which a Mac does not have")
    libraries = {product["name"] for product in described["products"]}
    for name in {"FootageClient", "FootageClientTesting"} - libraries:
        faults.append(f"there is no product {name}")
    tests = sorted(name for name in mac if mac[name]["type"] == "test")
    if not tests:
        faults.append("there are no tests")
    for fault in faults:
        print(f"check-mac-manifest: {fault}", file=sys.stderr)
    if not faults:
        print(
            f"check-mac-manifest: on a Mac there are {len(mac)} targets, without {len(linux)} of Linux's; the tests are "
            f"{', '.join(tests)}")
    return 1 if faults else 0


sys.exit(main())
