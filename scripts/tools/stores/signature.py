"""Requests to a store with the S3 API, signed by hand: Signature Version 4 in the Authorization field.

Curl's own signatures take an access key for two where it has a colon, and refuse a query that is not sorted.
"""

import datetime
import hashlib
import hmac
import urllib.parse


def signed_fields(method, address, key_file, **others):
    """The fields of a request without a body, `host` among them, by their names in lower case; its query is encoded and sorted.

    The key's file has two lines, access key and secret. `others` are signed as well, with `_` for `-`.
    """
    with open(key_file, encoding="ascii") as file:
        access_key, secret = file.read().split()
    url = urllib.parse.urlsplit(address)
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    payload = hashlib.sha256(b"").hexdigest()
    fields = {"host": url.netloc, "x-amz-content-sha256": payload, "x-amz-date": stamp}
    fields |= {name.replace("_", "-"): value for name, value in others.items()}
    names = ";".join(sorted(fields))
    canonical = "\n".join(
        [method, url.path, url.query, *(f"{name}:{fields[name]}" for name in sorted(fields)), "", names, payload]
    )
    scope = [stamp[:8], "us-east-1", "s3", "aws4_request"]
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    signed = ("AWS4" + secret).encode()
    for part in [*scope, "\n".join(["AWS4-HMAC-SHA256", stamp, "/".join(scope), digest])]:
        signed = hmac.new(signed, part.encode(), hashlib.sha256).digest()
    fields["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={access_key}/{'/'.join(scope)}, SignedHeaders={names}, Signature={signed.hex()}"
    )
    return fields
