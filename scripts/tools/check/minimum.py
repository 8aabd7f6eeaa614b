"""Type-checks what apps compile for the lowest version of macOS that Package.swift allows.

On Linux the compiler ignores which declarations are too new for a version of Apple's systems. But the toolchain's
standard library also comes as text, with Apple's versions in it. This script copies that text below .build, names
macOS as its target, and has the compiler judge Footage's files by it: those of the products FootageClient and
FootageClientTesting, and of what else a Mac builds, in the order of the manifest's graph. The files that are compiled on
Apple's platforms alone are among them.

- Apple's other modules are the interfaces of the stand-ins in Tests/ApplePlatform/Stubs, which the compiler writes.
  Foundation and Dispatch are those of Tests/ApplePlatform/Interfaces. Their declarations have the versions that were
  written there by hand, so a call of theirs that is too new is found only where the stand-in says so.
- macOS stands for all platforms. That is enough while the standard library puts each of its releases on all of them at
  once and the manifest's versions are of the same release, which is checked.
- Nothing is generated: what the compiler notices later than in type-checking is left to the build of Tests/ApplePlatform.

If modules are named, only their errors are reported. Exits with 1 if there are errors.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from tools.arguments import arguments

ROOT = pathlib.Path(__file__).resolve().parents[3]
STANDINS = ROOT / "Tests/ApplePlatform"
# The products of apps, and what else a Mac builds.
ROOTS = ["FootageClient", "FootageClientTesting"]
# Of the standard library, what is imported, and what that imports.
LIBRARY = [
    "Swift", "SwiftOnoneSupport", "_Builtin_float", "_Concurrency", "_StringProcessing", "Observation", "RegexBuilder",
    "Synchronization",
]
HAND_WRITTEN = ["Glibc", "Dispatch", "Foundation"]
WORK = ROOT / ".build/apple-minimum"
SWIFTC = pathlib.Path(shutil.which("swiftc") or sys.exit("check-minimum: there is no 'swiftc' on the PATH"))
TOOLCHAIN = SWIFTC.resolve().parents[1] / "lib/swift"


def described(folder):
    """What a package's manifest says, as the strict builds have it."""
    answer = subprocess.run(
        [ROOT / "scripts/lib/swift-tool", "package", "--package-path", str(folder), "--scratch-path", WORK / "manifest",
         "dump-package"],
        stdout=subprocess.PIPE, check=True, env={**os.environ, "FOOTAGE_STRICT": "1"},
    )
    return json.loads(answer.stdout)


def needs(target):
    """The targets that it depends on where it is built for macOS."""
    for dependency in target["dependencies"]:
        [(_, value)] = dependency.items()
        condition = value[1] if isinstance(value[-1], (dict, type(None))) else None
        if not condition or "macos" in condition.get("platformNames", ["macos"]):
            yield value[0]


def closure(targets, names):
    """Those targets and what they need, each after what it needs."""
    order = []

    def visit(name):
        if name in targets and name not in order:
            for other in needs(targets[name]):
                visit(other)
            order.append(name)

    for name in names:
        visit(name)
    return order


def write(path, text):
    """Leaves a file alone that says this already: the compiler compares dates."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def retargeted(text, target):
    """A textual interface of Linux's as one of macOS's."""
    head, body = re.match(r"((?://[^\n]*\n)+)(.*)", text, re.DOTALL).groups()
    head = re.sub(r"-target \S+", f"-target {target}", head)
    # An interface for the system itself would have to do without what is newer than the oldest system.
    head = head.replace(" -library-level api", "").replace("-target-min-inlining-version min", "")
    # Linux's text has no bodies of what Apple's systems bring along for older ones.
    body = re.sub(r"@backDeployed\([^)]*\)", "", body)
    body = body.replace("SwiftGlibc.", "Glibc.").replace("Glibc.POSIXErrorCode", "Foundation.POSIXErrorCode")
    # Apple's Foundation is in one piece.
    body = re.sub(r"\bFoundation(?:Networking|Essentials)\b", "Foundation", body)
    return head + re.sub(r"^(?:public )?import Glibc$", "", body, flags=re.MULTILINE)


def place_library(target):
    """The standard library's interfaces, where the compiler looks for them."""
    resources = WORK / "lib/swift"
    for name in ["shims", "clang"]:
        link = resources / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink() or link.readlink() != TOOLCHAIN / name:
            link.unlink(missing_ok=True)
            link.symlink_to(TOOLCHAIN / name)
    for module in LIBRARY:
        [source] = (TOOLCHAIN / f"linux/{module}.swiftmodule").glob("*[!e].swiftinterface")
        text = retargeted(source.read_text(encoding="utf-8"), target)
        if module == "Synchronization":
            # A lock of Linux's asks for the thread's number, which the shims for Apple do not declare.
            text += "@usableFromInline internal func _swift_stdlib_gettid() -> Swift.UInt32\n"
        write(resources / f"macosx/{module}.swiftmodule/{target.split('-')[0]}-apple-macos.swiftinterface", text)


def compared_releases(minimums):
    """Whether macOS can stand for the other platforms: what is too new for one has to be too new for it."""
    text = "".join(path.read_text(encoding="utf-8") for path in WORK.glob("lib/swift/macosx/*/*.swiftinterface"))
    names = {"ios": "iOS", "macos": "macOS", "tvos": "tvOS", "visionos": "visionOS"}

    def number(version):
        return [int(part) for part in version.split(".")] + [0] * (3 - len(version.split(".")))

    for line in sorted(set(re.findall(r"@available\((\w+ \d[^)]*), \*\)", text))):
        versions = dict(part.split(" ") for part in line.split(", "))
        late = {
            name for name, minimum in minimums.items()
            if names[name] in versions and number(versions[names[name]]) > number(minimum)
        }
        if late and "macos" not in late:
            yield f"'{line}' is too new for {', '.join(sorted(late))} and not for macOS: check those as well"


class Compiler:
    """Runs the compiler's frontend."""

    def __init__(self, target):
        self.target = target
        (WORK / "sdk").mkdir(parents=True, exist_ok=True)
        (WORK / "include").mkdir(exist_ok=True)
        for module in ["linux-modules", "modules"]:
            shutil.rmtree(WORK / module, ignore_errors=True)
            (WORK / module).mkdir()
        header = subprocess.run(
            ["pkg-config", "--variable=includedir", "sqlite3"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.strip()
        link = WORK / "include/sqlite3.h"
        link.unlink(missing_ok=True)
        link.symlink_to(pathlib.Path(header) / "sqlite3.h")

    @staticmethod
    def run(*arguments):
        done = subprocess.run(
            [str(SWIFTC), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace",
        )
        return done.returncode, done.stdout

    def for_apple(self, module, files, *options):
        """The frontend's arguments for a module on macOS."""
        return [
            "-frontend", *files, "-module-name", module, "-target", self.target, "-sdk", WORK / "sdk",
            "-resource-dir", WORK / "lib/swift", "-disable-objc-interop", "-module-cache-path", WORK / "cache",
            "-swift-version", "6", "-parse-as-library", "-I", WORK / "modules",
            "-plugin-path", TOOLCHAIN / "host/plugins", "-Xcc", "-isystem", "-Xcc", WORK / "include", *options,
        ]


def settings(target):
    """A target's settings as the frontend's options."""
    options = []
    for setting in target["settings"]:
        [(kind, value)] = setting["kind"].items()
        if setting["tool"] != "swift":
            continue
        if kind == "enableUpcomingFeature":
            options += ["-enable-upcoming-feature", value["_0"]]
        elif kind == "enableExperimentalFeature":
            options += ["-enable-experimental-feature", value["_0"]]
        elif kind == "strictMemorySafety":
            options += ["-strict-memory-safety"]
        elif kind == "treatAllWarnings":
            options += ["-warnings-as-errors"]
        else:
            sys.exit(f"check-minimum: {target['name']} has a setting that this check does not know: {kind}")
    return options


def sources(package, target):
    """Those that Apple's platforms compile."""
    folder = (package / (target.get("path") or f"Sources/{target['name']}")).resolve()
    return sorted(path for path in folder.rglob("*.swift") if "Linux" not in path.relative_to(folder).parts)


def module_map(package, target):
    """A module of C's, with the map that the package manager would make."""
    folder = (package / (target.get("path") or f"Sources/{target['name']}")).resolve()
    path = folder / "module.modulemap"
    if not path.exists():
        path = WORK / f"maps/{target['name']}.modulemap"
        write(path, f'module {target["name"]} {{ umbrella "{folder}/include" export * }}\n')
    return ["-Xcc", f"-fmodule-map-file={path}"]


class Check:
    def __init__(self):
        product = described(ROOT)
        apple = described(STANDINS)
        self.minimums = {one["platformName"]: one["version"] for one in product["platforms"]}
        self.targets = {target["name"]: target for target in product["targets"]}
        self.apple = {target["name"]: target for target in apple["targets"]}
        self.modules = [
            name for name in closure(self.targets, ROOTS) if self.targets[name]["type"] != "system"
        ]
        stood_for = {name for name, target in self.apple.items() if (target.get("path") or "").startswith("Stubs/")}
        wanted = {other for name in self.modules for other in needs(self.apple[name]) if other in stood_for}
        self.standins = [name for name in closure(self.apple, sorted(wanted)) if name in stood_for]
        self.c_modules = [
            name for name in closure(self.apple, self.standins)
            if not sources(STANDINS, self.apple[name])
        ]
        self.standins = [name for name in self.standins if name not in self.c_modules]
        self.target = f"x86_64-apple-macos{self.minimums['macos']}"
        self.compiler = Compiler(self.target)
        self.failures = {}

    # MARK: One module

    def warm_up(self):
        """Builds the standard library once, before several ask for it."""
        source = WORK / "all.swift"
        write(source, "".join(f"import {name}\n" for name in LIBRARY))
        return self.compiler.run(*self.compiler.for_apple("All", [source], "-typecheck"))

    def write_by_hand(self, name):
        source = STANDINS / f"Interfaces/{name}.swift"
        return self.compiler.run(*self.compiler.for_apple(
            name, [source], "-emit-module", "-enable-library-evolution", "-o", WORK / f"modules/{name}.swiftmodule"))

    def stand_in(self, name):
        """The interface of a stand-in, as Linux's compiler writes it, and made macOS's."""
        target = self.apple[name]
        linux = WORK / "linux-modules"
        maps = [option for c in self.c_modules for option in module_map(STANDINS, self.apple[c])]
        text = linux / f"{name}.swiftinterface"
        code, output = self.compiler.run(
            *sources(STANDINS, target), "-module-name", name, "-package-name", "apple-platform", "-swift-version", "6",
            "-parse-as-library", "-enable-library-evolution", "-no-verify-emitted-module-interface", "-emit-module",
            "-emit-module-path", linux / f"{name}.swiftmodule", "-emit-module-interface-path", text, "-I", linux,
            "-module-cache-path", WORK / "linux-cache", *settings(target), *maps)
        if code == 0:
            write(
                WORK / f"modules/{name}.swiftmodule/x86_64-apple-macos.swiftinterface",
                retargeted(text.read_text(encoding="utf-8"), self.target))
        return code, output

    def options(self, name):
        target = self.targets[name]
        maps = [
            option for other in closure(self.targets, [name]) if self.targets[other]["type"] == "system"
            for option in module_map(ROOT, self.targets[other])
        ]
        return [*settings(target), "-package-name", "footage", *maps]

    def emit(self, name):
        """What others see of a module. What is wrong in it says `judge`."""
        self.compiler.run(*self.compiler.for_apple(
            name, sources(ROOT, self.targets[name]), "-emit-module", "-suppress-warnings",
            "-experimental-skip-non-inlinable-function-bodies-without-types",
            "-experimental-allow-module-with-compiler-errors", "-o", WORK / f"modules/{name}.swiftmodule",
            *(option for option in self.options(name) if option != "-warnings-as-errors")))
        return 0, ""

    def judge(self, name):
        return self.compiler.run(*self.compiler.for_apple(
            name, sources(ROOT, self.targets[name]), "-typecheck", *self.options(name)))

    # MARK: All

    def jobs(self):
        """From each job's name to what it does and the jobs that come before it."""
        jobs = {"library": (self.warm_up, [])}
        for name in HAND_WRITTEN:
            before = [other for other in HAND_WRITTEN[:HAND_WRITTEN.index(name)]]
            jobs[name] = (lambda name=name: self.write_by_hand(name), ["library", *before])
        for name in self.standins:
            before = [other for other in closure(self.apple, [name]) if other in self.standins and other != name]
            jobs[name] = (lambda name=name: self.stand_in(name), before)
        for name in self.modules:
            # The manifest does not say which of Apple's modules one imports.
            before = [other for other in closure(self.targets, [name]) if other in self.modules and other != name]
            apple = [other for other in closure(self.apple, [name]) if other in self.standins]
            jobs[f"emit {name}"] = (
                lambda name=name: self.emit(name), ["library", *HAND_WRITTEN, *apple, *(f"emit {one}" for one in before)])
            jobs[name] = (lambda name=name: self.judge(name), jobs[f"emit {name}"][1])
        return jobs

    def run(self, only):
        jobs, done, running = self.jobs(), set(), {}
        # Modules that others wait for come first.
        order = sorted(jobs, key=lambda name: (name in self.modules, list(jobs).index(name)))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            while len(done) < len(jobs):
                for name in order:
                    if len(running) >= (os.cpu_count() or 1):
                        break
                    if name not in done and name not in running.values() and done.issuperset(jobs[name][1]):
                        if only and name in self.modules and name not in only:
                            done.add(name)
                        else:
                            running[pool.submit(jobs[name][0])] = name
                for future in concurrent.futures.wait(
                        running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                    name = running.pop(future)
                    done.add(name)
                    code, output = future.result()
                    if code != 0:
                        self.failures[name] = output
                        # Nothing that follows would mean anything.
                        if name not in self.modules:
                            return


def main():
    start = time.monotonic()
    only = arguments(__doc__, "modules*").modules
    check = Check()
    place_library(check.target)
    faults = list(compared_releases(check.minimums))
    check.run(only)
    for fault in faults:
        print(f"check-minimum: {fault}", file=sys.stderr)
    for name, output in check.failures.items():
        print(f"== {name}\n{output}", file=sys.stderr)
    versions = ", ".join(f"{name} {version}" for name, version in sorted(check.minimums.items()))
    judged = [name for name in check.modules if not only or name in only]
    count = sum(len(sources(ROOT, check.targets[name])) for name in judged)
    if check.failures or faults:
        errors = sum(len(re.findall(r"^/.*: error: ", output, re.MULTILINE)) for output in check.failures.values())
        print(f"check-minimum: {errors} errors in {', '.join(check.failures) or 'the manifest'}", file=sys.stderr)
        return 1
    print(
        f"check-minimum: {count} files of {len(judged)} modules ({', '.join(judged)}) type-checked as for {check.target} "
        f"in {time.monotonic() - start:.0f} s; the manifest's minimums are {versions}")
    return 0


sys.exit(main())
