"""A Chromium without a screen, driven by chromedriver over the WebDriver protocol (W3C)."""

import base64
import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Browser:
    """It finds the host of a URL at an address, and takes its certificate for the key in a pin, as a person does who compares them."""

    def __init__(self, profile, url, address, pin, *arguments):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if started := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            sys.exit("chromedriver ended before it said its port")
        self.session = f"http://127.0.0.1:{started[1]}"
        host = urllib.parse.urlsplit(url).hostname
        options = {"args": [
            # Its sandbox does not work for root.
            "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--mute-audio", "--window-size=1280,800", f"--user-data-dir={profile}",
            f"--host-resolver-rules=MAP {host} {address}, MAP * ~NOTFOUND",
            f"--ignore-certificate-errors-spki-list={pin.removeprefix('sha256/')}", *arguments]}
        created = self.post("/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        self.session += f"/session/{created['sessionId']}"

    def post(self, path, body, timeout=60):
        request = urllib.request.Request(
            self.session + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        return self.open(request, timeout)

    @staticmethod
    def open(request, timeout=60):
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=timeout) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def quit(self):
        """Closes the browser before its driver."""
        self.open(urllib.request.Request(self.session, method="DELETE"))
        self.driver.terminate()

    def go(self, url):
        self.post("/url", {"url": url})

    def run(self, script, *arguments):
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def run_to_end(self, script, *arguments, seconds):
        """What an asynchronous script comes to: it calls its last argument."""
        self.post("/timeouts", {"script": seconds * 1000})
        return self.post("/execute/async", {"script": script, "args": list(arguments)}, timeout=seconds + 30)

    def wait(self, what, script):
        end = time.monotonic() + 60
        while (found := self.run(script)) in (None, False):
            if time.monotonic() > end:
                raise RuntimeError(f"no {what}; the page says: {self.run('return document.body.innerText')[:500]}")
            time.sleep(0.1)
        return found

    def screenshot(self):
        return base64.b64decode(self.open(urllib.request.Request(self.session + "/screenshot")))
