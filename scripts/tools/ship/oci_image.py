"""An image of a container, as an archive in the OCI's layout.

The lower layer is made out of Debian's packages, as they are but for what is read by people alone; the upper one out of the
program in `root`. No registry, no daemon and no right is asked for any of it, and the same input gives the same bytes.
OCI image format 1.0.
"""

import datetime
import gzip
import hashlib
import io
import json
import os
import posixpath
import subprocess
import tarfile

from tools.arguments import arguments

GIVEN = arguments(__doc__, "output", "architecture", "version", "commit", "root", "packages*")
OUTPUT, ARCHITECTURE, VERSION, COMMIT, ROOT, PACKAGES = (
    GIVEN.output, GIVEN.architecture, GIVEN.version, GIVEN.commit, GIVEN.root, GIVEN.packages)
CREATED = int(os.environ["SOURCE_DATE_EPOCH"])
# The folders of the system that lie in /usr.
MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# Of a package, what no program reads. What says who made it stays.
LEFT_OUT = ("usr/share/man/", "usr/share/info/", "usr/share/lintian/", "usr/share/locale/", "usr/share/bug/",
            "usr/share/common-licenses/", "usr/share/base-files/", "etc/update-motd.d/")
USER = 10000


def merged(name):
    name = posixpath.normpath("/" + name).lstrip("/")
    return f"usr/{name}" if name.split("/")[0] in MERGED else name


class Layer:
    def __init__(self):
        self.entries = {}

    def add(self, name, kind, content=b"", mode=0o644, owner=0, link="", time=0):
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode, entry.uid, entry.gid, entry.mtime = kind, mode, owner, owner, time
        entry.linkname, entry.size = link, len(content)
        self.entries[name] = (entry, content)

    def add_folder(self, name, mode=0o755, owner=0):
        self.add(name, tarfile.DIRTYPE, mode=mode, owner=owner)

    def add_package(self, path):
        """What a package installs, without what its scripts would do."""
        content = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            for member in archive:
                name = merged(member.name)
                if name in ("", ".", *(f"usr/{folder}" for folder in MERGED)) or name.startswith(LEFT_OUT):
                    continue
                if name.startswith("usr/share/doc/") and member.isfile() and not name.endswith("/copyright"):
                    continue
                if member.isdir():
                    self.entries.setdefault(name, None)
                    self.add(name, tarfile.DIRTYPE, mode=member.mode & 0o1777, time=int(member.mtime))
                elif member.issym():
                    self.add(name, tarfile.SYMTYPE, mode=0o777, link=member.linkname, time=int(member.mtime))
                elif member.isfile() or member.islnk():
                    # extractfile follows hard links, each of which becomes a file.
                    self.add(name, tarfile.REGTYPE, archive.extractfile(member).read(), member.mode & 0o777,
                             time=int(member.mtime))
        # What a scanner for known faults looks for.
        control = subprocess.run(["dpkg-deb", "-f", path], stdout=subprocess.PIPE, check=True).stdout
        package = control.split(b"Package: ")[1].split(b"\n")[0].decode()
        self.add(f"var/lib/dpkg/status.d/{package}", tarfile.REGTYPE, control)

    def archive(self):
        """As a tar, parents first."""
        for name in list(self.entries):
            while name := posixpath.dirname(name):
                if name not in self.entries:
                    self.add_folder(name)
        output = io.BytesIO()
        with tarfile.open(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for _, (entry, content) in sorted(self.entries.items()):
                archive.addfile(entry, io.BytesIO(content))
        return output.getvalue()


def base():
    layer = Layer()
    for path in sorted(PACKAGES, key=os.path.basename):
        layer.add_package(path)
    for folder in ("bin", "sbin", "lib", *(("lib64",) if ARCHITECTURE == "amd64" else ())):
        layer.add(folder, tarfile.SYMTYPE, mode=0o777, link=f"usr/{folder}")
        if f"usr/{folder}" not in layer.entries:
            layer.add_folder(f"usr/{folder}")
    layer.add_folder("tmp", 0o1777)
    layer.add("etc/passwd", tarfile.REGTYPE,
              f"root:x:0:0:root:/:/sbin/nologin\nfootage:x:{USER}:{USER}:footage:/:/sbin/nologin\n".encode())
    layer.add("etc/group", tarfile.REGTYPE, f"root:x:0:\nfootage:x:{USER}:\n".encode())
    layer.add("etc/nsswitch.conf", tarfile.REGTYPE, b"hosts: files dns\n")
    return layer.archive()


def program():
    layer = Layer()
    for name, mode in (("usr/bin/footage", 0o755), ("usr/share/doc/footage/copyright", 0o644),
                       ("usr/share/doc/footage/sbom.cdx.json", 0o644)):
        with open(os.path.join(ROOT, name), "rb") as file:
            layer.add(name, tarfile.REGTYPE, file.read(), mode, time=CREATED)
    layer.add_folder("recordings")
    layer.add_folder("certs")
    layer.add_folder("state", 0o750, USER)
    return layer.archive()


blobs = {}


def blob(kind, content, **rest):
    digest = hashlib.sha256(content).hexdigest()
    blobs[f"blobs/sha256/{digest}"] = content
    return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content), **rest}


def document(value):
    return json.dumps(value, indent=2, sort_keys=True).encode() + b"\n"


layers = [base(), program()]
created = datetime.datetime.fromtimestamp(CREATED, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
labels = {
    "org.opencontainers.image.title": "footage",
    "org.opencontainers.image.description": "Shows what a robot saw: serves the recordings in a folder over HTTPS",
    "org.opencontainers.image.version": VERSION,
    "org.opencontainers.image.revision": COMMIT,
    "org.opencontainers.image.created": created,
    "org.opencontainers.image.licenses": "Apache-2.0",
}
platform = {"architecture": ARCHITECTURE, "os": "linux", **({"variant": "v8"} if ARCHITECTURE == "arm64" else {})}
config = blob("config.v1+json", document({
    **platform, "created": created,
    "config": {
        "User": f"{USER}:{USER}", "ExposedPorts": {"8443/tcp": {}}, "WorkingDir": "/", "Labels": labels,
        "Env": ["PATH=/usr/bin", "FOOTAGE_RECORDINGS=/recordings", "FOOTAGE_CERTS=/certs", "FOOTAGE_STATE=/state"],
        "Volumes": {"/recordings": {}, "/certs": {}, "/state": {}},
        "Entrypoint": ["/usr/bin/footage"], "Cmd": ["serve"], "StopSignal": "SIGTERM",
    },
    "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers]},
    "history": [{"created": created, "created_by": words} for words in ("Debian's packages", "footage")],
}))
manifest = blob("manifest.v1+json", document({
    "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config,
    "layers": [blob("layer.v1.tar+gzip", gzip.compress(layer, 9, mtime=0)) for layer in layers],
    "annotations": labels,
}), platform=platform, annotations={"org.opencontainers.image.ref.name": f"footage:{VERSION}"})

image = Layer()
image.add("oci-layout", tarfile.REGTYPE, document({"imageLayoutVersion": "1.0.0"}), time=CREATED)
image.add("index.json", tarfile.REGTYPE, document({"schemaVersion": 2, "manifests": [manifest]}), time=CREATED)
for name, content in blobs.items():
    image.add(name, tarfile.REGTYPE, content, time=CREATED)
with open(OUTPUT, "wb") as file:
    file.write(image.archive())
