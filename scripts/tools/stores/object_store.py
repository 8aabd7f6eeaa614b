"""OpenStack Swift with a folder in place of /etc/swift, so that no root is needed.

object_store.py FOLDER rings ACCOUNT CONTAINER OBJECT      writes the rings: one device each, on these ports
object_store.py FOLDER account|container|object|proxy      is that server
"""
import sys

KINDS = ["account", "container", "object"]


def write_rings(folder, ports):
    from swift.common.ring import RingBuilder

    for kind, port in zip(KINDS, ports):
        builder = RingBuilder(2, 1, 0)
        place = {"ip": "127.0.0.1", "port": int(port), "replication_ip": "127.0.0.1", "replication_port": int(port)}
        builder.add_dev({"region": 1, "zone": 1, "device": "disk", "weight": 1, "meta": "", **place})
        builder.rebalance()
        builder.get_ring().save(f"{folder}/{kind}.ring.gz")


def serve(folder, kind):
    import eventlet

    eventlet.monkey_patch(thread=False)
    from swift.common import utils
    from swift.common.wsgi import run_wsgi

    utils.SWIFT_CONF_FILE = folder + "/swift.conf"
    utils.validate_configuration()
    options = {}
    if kind == "object":
        from swift.obj import server

        options["global_conf_callback"] = server.global_conf_callback
    return run_wsgi(f"{folder}/{kind}.conf", f"{kind}-server", **options)


if sys.argv[2] == "rings":
    write_rings(sys.argv[1], sys.argv[3:])
else:
    sys.exit(serve(sys.argv[1], sys.argv[2]))
