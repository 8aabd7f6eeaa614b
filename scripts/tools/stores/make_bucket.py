"""Creates a bucket in a store with the S3 API, unless it exists.

address: http://HOST:PORT/BUCKET. key: a file of two lines, access key and secret.
"""
import sys
import urllib.error
import urllib.request

from tools.arguments import arguments
from tools.stores.signature import signed_fields

given = arguments(__doc__, "address", "key")
request = urllib.request.Request(given.address, method="PUT", headers=signed_fields("PUT", given.address, given.key))
# Not by a proxy: it is on this machine.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    opener.open(request, timeout=60).close()
except urllib.error.HTTPError as error:
    if error.code != 409:
        sys.exit(f"{given.address}: {error.code} {error.read().decode(errors='replace')}")
