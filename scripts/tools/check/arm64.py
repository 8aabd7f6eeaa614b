"""Compiles every module of the program against Swift's library for arm64, as far as errors go.

sysroot: the folder that scripts/arm64-sdk.sh made. No code is generated, which would take most of a build's time: the compiler
checks types, and then ownership, initialization and exclusivity. Modules and flags come from the manifest. Modules that do not
depend on each other are compiled at the same time. Exits with 1, and the compiler's messages, if a module does not compile.
"""

import concurrent.futures
import functools
import glob
import json
import os
import subprocess
import sys

from tools.arguments import arguments

SYSROOT = os.path.abspath(arguments(__doc__, "sysroot").sysroot)
PRODUCT = "footage"
FOLDER = os.path.abspath(".build/arm64-check")


def manifest():
    said = subprocess.run(["scripts/lib/swift-tool", "package", "dump-package"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {target["name"]: target for target in json.loads(said)["targets"]}


TARGETS = manifest()


def dependencies(name):
    """The targets that one needs directly on Linux."""
    found = []
    for dependency in TARGETS[name]["dependencies"]:
        (needed, condition), = dependency.values()
        if not condition or "linux" in condition.get("platformNames", ["linux"]):
            found.append(needed)
    return found


def order(name, ordered):
    """Puts a target behind all that it needs."""
    for needed in dependencies(name):
        order(needed, ordered)
    if name not in ordered:
        ordered.append(name)
    return ordered


def all_dependencies(name):
    return {other for other in order(name, []) if other != name}


def folder(name):
    return TARGETS[name].get("path") or f"Sources/{name}"


def files(name, pattern):
    left_out = [f"{folder(name)}/{path}" for path in TARGETS[name].get("exclude", [])]
    return sorted(
        path for path in glob.glob(f"{folder(name)}/**/{pattern}", recursive=True)
        if not any(path == one or path.startswith(f"{one}/") for one in left_out))


def is_swift(name):
    return bool(files(name, "*.swift"))


@functools.cache
def module_map_flags(name):
    """The flags with which the compiler finds a module of C. To be asked first while nothing is compiled that reads the map."""
    flags = []
    maps = files(name, "module.modulemap")
    include = os.path.abspath(f"{folder(name)}/include")
    if os.path.isdir(include):
        flags += ["-Xcc", f"-I{include}"]
        if not maps:
            # SwiftPM makes such a map, too.
            path = f"{FOLDER}/{name}.modulemap"
            with open(path, "w") as file:
                file.write(f'module {name} {{\n  umbrella "{include}"\n  export *\n}}\n')
            maps = [path]
    return flags + [flag for path in maps for flag in ("-Xcc", f"-fmodule-map-file={os.path.abspath(path)}")]


def compile_module(name):
    """Returns the exit status of the compiler, and its words."""
    if not is_swift(name):
        return 0, ""
    sources = files(name, "*.swift")
    command = [
        "swiftc", "-emit-module", "-o", f"{FOLDER}/{name}.swiftmodule", "-module-name", name, "-wmo", "-Onone",
        "-target", "aarch64-unknown-linux-gnu", "-sdk", SYSROOT, "-resource-dir", f"{SYSROOT}/usr/lib/swift",
        "-Xcc", f"--sysroot={SYSROOT}", "-Xcc", f"--gcc-toolchain={SYSROOT}/usr", "-module-cache-path", f"{FOLDER}/cache",
        # The build for this machine is the one that treats warnings as errors.
        "-swift-version", "6", "-package-name", PRODUCT, "-I", FOLDER, "-suppress-warnings",
    ]
    if not any(os.path.basename(source) == "main.swift" for source in sources):
        command.append("-parse-as-library")
    for setting in TARGETS[name]["settings"]:
        for kind, value in setting["kind"].items():
            if kind == "enableUpcomingFeature":
                command += ["-enable-upcoming-feature", value["_0"]]
            elif kind == "enableExperimentalFeature":
                command += ["-enable-experimental-feature", value["_0"]]
            elif kind == "define" and setting["tool"] == "swift":
                command += ["-D", value["_0"]]
    for other in sorted(all_dependencies(name)):
        if not is_swift(other):
            command += module_map_flags(other)
    result = subprocess.run(command + sources, stderr=subprocess.PIPE, text=True)
    return result.returncode, result.stderr


def main():
    os.makedirs(FOLDER, exist_ok=True)
    waiting = order(PRODUCT, [])
    count = sum(is_swift(name) for name in waiting)
    for name in waiting:
        if not is_swift(name):
            module_map_flags(name)
    done, failed, running = set(), set(), {}
    workers = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        while waiting or running:
            for name in list(waiting):
                if len(running) < workers and done.issuperset(dependencies(name)):
                    waiting.remove(name)
                    running[pool.submit(compile_module, name)] = name
            if not running:
                break
            for future in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                name = running.pop(future)
                status, words = future.result()
                if status == 0:
                    done.add(name)
                else:
                    failed.add(name)
                    print(words, file=sys.stderr)
    if failed:
        unknown = [name for name in waiting if is_swift(name)]
        print(f"check-arm64: {', '.join(sorted(failed))} cannot be compiled for arm64", file=sys.stderr)
        if unknown:
            print(f"check-arm64: not checked, because they need these: {', '.join(unknown)}", file=sys.stderr)
        sys.exit(1)
    print(f"check-arm64: all {count} modules of the program compile for arm64", file=sys.stderr)


main()
