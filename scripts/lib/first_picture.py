#!/usr/bin/env python3
"""Opens a robot's page in a Chromium without a screen, clicks the first recording, and looks at the picture:
first_picture.py URL ADDRESS PIN SCREENSHOT

The host of URL is found at ADDRESS, and its certificate taken for the key in PIN, as a person does who compares them. Ends
with 0 where the video plays and its picture has many colours; prints what it is.
"""

import base64
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

URL, ADDRESS, PIN, SCREENSHOT = sys.argv[1:]
# A picture of the page's video, in a few dots of it: each one's red, green and blue.
PICTURE = """
const video = document.querySelector('video');
if (video.readyState < 3 || video.videoWidth === 0 || video.currentTime < 0.2) return null;
const canvas = document.createElement('canvas');
[canvas.width, canvas.height] = [16, 12];
const context = canvas.getContext('2d');
context.drawImage(video, 0, 0, 16, 12);
const dots = context.getImageData(0, 0, 16, 12).data;
const colours = [];
for (let index = 0; index < dots.length; index += 4) colours.push([...dots.slice(index, index + 3)]);
return {width: video.videoWidth, height: video.videoHeight, second: video.currentTime, source: video.currentSrc, colours};
"""


class Browser:
    def __init__(self, profile):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if started := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            sys.exit("first_picture: chromedriver ended before it said its port")
        self.session = f"http://127.0.0.1:{started[1]}"
        host = urllib.parse.urlsplit(URL).hostname
        options = {"args": [
            # Its sandbox does not work for root.
            "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--mute-audio", "--window-size=1280,800", f"--user-data-dir={profile}",
            f"--host-resolver-rules=MAP {host} {ADDRESS}, MAP * ~NOTFOUND",
            f"--ignore-certificate-errors-spki-list={PIN.removeprefix('sha256/')}"]}
        created = self.post("/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
        self.session += f"/session/{created['sessionId']}"

    def post(self, path, body):
        request = urllib.request.Request(
            self.session + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        return self.open(request)

    @staticmethod
    def open(request):
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def quit(self):
        """Closes the browser before its driver."""
        self.open(urllib.request.Request(self.session, method="DELETE"))
        self.driver.terminate()

    def run(self, script):
        return self.post("/execute/sync", {"script": script, "args": []})

    def wait(self, what, script):
        end = time.monotonic() + 60
        while (found := self.run(script)) in (None, False):
            if time.monotonic() > end:
                raise RuntimeError(f"no {what}; the page says: {self.run('return document.body.innerText')[:500]}")
            time.sleep(0.1)
        return found

    def screenshot(self):
        return base64.b64decode(self.open(urllib.request.Request(self.session + "/screenshot")))


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    browser = Browser(profile)
    try:
        browser.post("/url", {"url": URL})
        browser.wait("recording", "return document.querySelector('a.row') !== null")
        row = browser.post("/element", {"using": "css selector", "value": "a.row"})
        browser.post(f"/element/{next(iter(row.values()))}/click", {})
        picture = browser.wait("picture", PICTURE)
        with open(SCREENSHOT, "wb") as file:
            file.write(browser.screenshot())
    except RuntimeError as error:
        sys.exit(f"first_picture: {error}")
    finally:
        browser.quit()

bright = [colour for colour in picture["colours"] if max(colour) > 40]
different = {tuple(channel // 32 for channel in colour) for colour in bright}
print(f"{picture['source']}: {picture['width']}×{picture['height']} at {picture['second']:.1f} s, "
      f"{len(bright)} of {len(picture['colours'])} dots are not black, in {len(different)} colours")
sys.exit(0 if len(bright) > 60 and len(different) >= 8 else "first_picture: that is no picture")
