#!/usr/bin/env python3
"""Makes a bucket in a store with the S3 API, unless it is there: make_bucket.py http://HOST:PORT/BUCKET KEYFILE

The file has two lines, access key and secret. Curl's own signatures take an access key for two where it has a colon.
"""
import datetime
import hashlib
import hmac
import sys
import urllib.error
import urllib.parse
import urllib.request

address, key_file = sys.argv[1:3]
with open(key_file, encoding="ascii") as file:
    access_key, secret = file.read().split()
url = urllib.parse.urlsplit(address)
stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
payload = hashlib.sha256(b"").hexdigest()
fields = {"host": url.netloc, "x-amz-content-sha256": payload, "x-amz-date": stamp}
names = ";".join(sorted(fields))
canonical = "\n".join(
    ["PUT", url.path, "", *(f"{name}:{fields[name]}" for name in sorted(fields)), "", names, payload]
)
scope = [stamp[:8], "us-east-1", "s3", "aws4_request"]
digest = hashlib.sha256(canonical.encode()).hexdigest()
signed = ("AWS4" + secret).encode()
for part in [*scope, "\n".join(["AWS4-HMAC-SHA256", stamp, "/".join(scope), digest])]:
    signed = hmac.new(signed, part.encode(), hashlib.sha256).digest()
fields["authorization"] = (
    f"AWS4-HMAC-SHA256 Credential={access_key}/{'/'.join(scope)}, SignedHeaders={names}, Signature={signed.hex()}"
)
request = urllib.request.Request(address, method="PUT", headers=fields)
# Not by a proxy: it is on this machine.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    opener.open(request, timeout=60).close()
except urllib.error.HTTPError as error:
    if error.code != 409:
        sys.exit(f"{address}: {error.code} {error.read().decode(errors='replace')}")
