#!/usr/bin/env python3
"""Makes a bucket in a store with the S3 API, unless it is there: make_bucket.py http://HOST:PORT/BUCKET KEYFILE

The file has two lines, access key and secret.
"""
import sys
import urllib.error
import urllib.request

from store_signature import signed_fields

address, key_file = sys.argv[1:3]
request = urllib.request.Request(address, method="PUT", headers=signed_fields("PUT", address, key_file))
# Not by a proxy: it is on this machine.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    opener.open(request, timeout=60).close()
except urllib.error.HTTPError as error:
    if error.code != 409:
        sys.exit(f"{address}: {error.code} {error.read().decode(errors='replace')}")
