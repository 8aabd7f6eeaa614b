"""Opens a robot's page in a headless Chromium, clicks the first recording, and examines the picture.

The host of `url` is reached at `address`, and its certificate is accepted for the key in `pin`, as by a person who compares them. Exits with 0 if the video plays and its picture has many colors. Prints the picture's properties.
"""

import sys
import tempfile

from tools.arguments import arguments
from tools.browser import Browser

GIVEN = arguments(__doc__, "url", "address", "pin", "screenshot")
# A picture of the page's video, in a few dots of it: each one's red, green and blue.
PICTURE = """
const video = document.querySelector('video');
if (!video || video.readyState < 3 || video.videoWidth === 0 || video.currentTime < 0.2) return null;
const canvas = document.createElement('canvas');
[canvas.width, canvas.height] = [16, 12];
const context = canvas.getContext('2d');
context.drawImage(video, 0, 0, 16, 12);
const dots = context.getImageData(0, 0, 16, 12).data;
const colours = [];
for (let index = 0; index < dots.length; index += 4) colours.push([...dots.slice(index, index + 3)]);
return {width: video.videoWidth, height: video.videoHeight, second: video.currentTime, source: video.currentSrc, colours};
"""

with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    browser = Browser(profile, GIVEN.url, GIVEN.address, GIVEN.pin)
    try:
        browser.go(GIVEN.url)
        browser.wait("recording", "return document.querySelector('a.row') !== null")
        browser.run("document.getElementById('-drawer-open').click()")
        row = browser.post("/element", {"using": "css selector", "value": "a.row"})
        browser.post(f"/element/{next(iter(row.values()))}/click", {})
        picture = browser.wait("picture", PICTURE)
        with open(GIVEN.screenshot, "wb") as file:
            file.write(browser.screenshot())
    except RuntimeError as error:
        sys.exit(f"first_picture: {error}")
    finally:
        browser.quit()

bright = [colour for colour in picture["colours"] if max(colour) > 40]
different = {tuple(channel // 32 for channel in colour) for colour in bright}
print(f"{picture['source']}: {picture['width']}×{picture['height']} at {picture['second']:.1f} s, "
      f"{len(bright)} of {len(picture['colours'])} dots are not black, in {len(different)} colours")
sys.exit(0 if len(bright) > 60 and len(different) >= 8 else "first_picture: this is not a picture")
