"""A bill of materials in CycloneDX 1.5.

Names the program with its digest, what is linked into it, and the libraries that it asks the system for. `library` is the
version of Swift's library that was linked into it, and `origin` says who built that: the compiler may be of another version.
"""

import datetime
import hashlib
import json
import os
import subprocess
import uuid

from tools.arguments import arguments

given = arguments(__doc__, "program", "version", "commit", "library", "origin")
program, version, commit, swift, origin = given.program, given.version, given.commit, given.library, given.origin
with open(program, "rb") as file:
    digest = hashlib.sha256(file.read()).hexdigest()
needed = subprocess.run(["readelf", "-dW", program], capture_output=True, text=True, check=True).stdout
libraries = sorted(line.split("[")[1].split("]")[0] for line in needed.splitlines() if "(NEEDED)" in line)


def component(kind, name, reference, **rest):
    return {"type": kind, "bom-ref": reference, "name": name, **rest}


print(json.dumps({
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    # The same program has the same number.
    "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
    "version": 1,
    "metadata": {
        "timestamp": datetime.datetime.fromtimestamp(
            int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "component": component(
            "application", "footage", "footage", version=version, hashes=[{"alg": "SHA-256", "content": digest}],
            licenses=[{"license": {"id": "Apache-2.0"}}], properties=[{"name": "commit", "value": commit}]),
    },
    "components": [
        component("library", "swift-stdlib", "swift-stdlib", version=swift, scope="required",
                  licenses=[{"expression": "Apache-2.0 WITH Swift-exception"}],
                  description=f"the Swift runtime and standard library, linked into the program: {origin}"),
        *(component("library", name, name, scope="required", description="the system's, loaded at the start")
          for name in libraries),
    ],
    "dependencies": [{"ref": "footage", "dependsOn": ["swift-stdlib", *libraries]}],
}, indent=2))
