"""Writes recordings of many kinds into a folder, with a list of them: COUNT files that SEED chooses.

The list is `kinds.txt` beside the folder's files: NAME, a tab, and the kind.
"""

import concurrent.futures
import os

from tools.arguments import arguments
from tools.clips import age
from tools.media import streams, variety


def generate(folder, count, seed, work):
    """The recordings by their names: their paths and kinds. work: a folder for what is used again."""
    made = streams.make(work)
    os.makedirs(folder, exist_ok=True)
    found = {}

    def write(numbered):
        number, kind = numbered
        name = f"{number:04}"
        path = f"{folder}/{name}.{kind.ending}"
        variety.make(kind, made, path)
        age(path)
        return name, (path, kind)

    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        found.update(threads.map(write, enumerate(variety.kinds(count, seed))))
    return found


def main():
    given = arguments(__doc__, "folder", count=int, seed=int)
    found = generate(given.folder, given.count, given.seed, f"{given.folder}/.streams")
    with open(f"{given.folder}/kinds.txt", "w") as file:
        file.writelines(f"{name}\t{kind}\n" for name, (_, kind) in found.items())


if __name__ == "__main__":
    main()
