"""Browsers without a screen: a Chromium and a WebKit by WebDriver, a Firefox by WebDriver BiDi (both W3C)."""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request


class Page:
    """What a browser shows, under remote control."""

    def wait(self, what, script, *arguments):
        end = time.monotonic() + 60
        while (found := self.run(script, *arguments)) in (None, False):
            if time.monotonic() > end:
                raise RuntimeError(f"there is no {what}; the page shows: {self.run('return document.body.innerText')[:500]}")
            time.sleep(0.1)
        return found

    def tap(self, x, y):
        """At a place in the window, in CSS pixels, as a person does."""
        self.act([{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}, {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0}]}])

    def click(self, selector):
        """In the middle of an element: once more where the page has moved meanwhile, as that of a browser does that has just
        opened, and the press met something else."""
        for _ in range(5):
            place = self.standing(selector)
            self.run("""
                window.pressed = null;
                const note = event => { window.pressed = document.querySelector(arguments[0]).contains(event.target); };
                addEventListener('click', note, {capture: true, once: true});
            """, selector)
            self.tap(*place)
            end = time.monotonic() + 5
            while (hit := self.run("return window.pressed")) is None and time.monotonic() < end:
                time.sleep(0.05)
            if hit:
                return
            if self.middle(selector) == place:
                break
        raise RuntimeError(f"a press at {place} did not hit {selector}")

    def standing(self, selector):
        """The place of an element's middle, when it stands still."""
        places = [self.middle(selector)]
        while len(places) < 3 or places[-3:] != places[-1:] * 3:
            if len(places) > 50:
                raise RuntimeError(f"{selector} keeps moving: {places[-3:]}")
            time.sleep(0.1)
            places.append(self.middle(selector))
        return places[-1]

    def middle(self, selector):
        """The place of an element's middle, which nothing may cover."""
        place = self.run("""
            const found = document.querySelector(arguments[0]);
            found.scrollIntoView({block: 'center', behavior: 'instant'});
            const box = found.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
            return found.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
        """, selector)
        if place is None:
            raise RuntimeError(f"something covers {selector}")
        return place


class Driver(Page):
    """A browser with a driver: `session` is the address of its session."""

    session = ""

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

    def go(self, url):
        self.post("/url", {"url": url})

    def run(self, script, *arguments):
        return self.post("/execute/sync", {"script": script, "args": list(arguments)})

    def run_to_end(self, script, *arguments, seconds):
        """What an asynchronous script comes to: it calls its last argument."""
        self.post("/timeouts", {"script": seconds * 1000})
        return self.post("/execute/async", {"script": script, "args": list(arguments)}, timeout=seconds + 30)

    def screenshot(self):
        return base64.b64decode(self.open(urllib.request.Request(self.session + "/screenshot")))

    def act(self, actions):
        self.post("/actions", {"actions": actions})

    def end_session(self):
        self.open(urllib.request.Request(self.session, method="DELETE"))


class Browser(Driver):
    """A Chromium. It finds the host of a URL at an address, and takes its certificate for the key in a pin, as a person does who
    compares them."""

    def __init__(self, profile, url, address, pin, *arguments):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if started := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            sys.exit("chromedriver ended before it reported its port")
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

    def quit(self):
        """Closes the browser before its driver."""
        self.end_session()
        self.driver.terminate()


class WebKit(Driver):
    """A WebKitGTK, on a screen in memory; it takes every certificate. `folder` is its home."""

    def __init__(self, folder, log):
        os.makedirs(folder, mode=0o700)
        # It finds a number that is free, and says it.
        self.screen = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"], stdout=subprocess.PIPE, stderr=log, text=True)
        number = self.screen.stdout.readline().strip()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(
            ["dbus-run-session", "--", "WebKitWebDriver", f"--port={port}"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, env=dict(
                os.environ, DISPLAY=f":{number}", HOME=folder, XDG_RUNTIME_DIR=folder,
                # Its sandbox does not work for root.
                WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1"))
        self.session = f"http://127.0.0.1:{port}"
        end = time.monotonic() + 30
        while True:
            try:
                created = self.post("/session", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})
                break
            except urllib.error.URLError:
                if time.monotonic() > end:
                    self.stop()
                    raise
                time.sleep(0.2)
        self.version = created["capabilities"].get("browserVersion", "")
        self.session += f"/session/{created['sessionId']}"

    def quit(self):
        try:
            self.end_session()
        finally:
            self.stop()

    def stop(self):
        # The driver, the bus, and what they started.
        os.killpg(self.driver.pid, signal.SIGTERM)
        self.driver.wait()
        self.screen.terminate()
        self.screen.wait()


class Firefox(Page):
    """A Firefox that takes every certificate, or those alone that it trusts. `folder` is its home, which may be there."""

    def __init__(self, folder, log, takes_every_certificate=True):
        # Debian's python3-websocket, which only this one needs.
        import websocket

        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--profile", folder, "--remote-debugging-port=0"], stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.PIPE, text=True, start_new_session=True, env=dict(os.environ, HOME=folder))
        for line in self.process.stderr:
            if listening := re.search(r"BiDi listening on (ws://\S+)", line):
                break
        else:
            sys.exit("Firefox ended before it reported its port")
        # It says more, which nobody reads, and must not wait for that.
        threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()
        self.count = 0
        self.socket = websocket.create_connection(listening[1] + "/session", suppress_origin=True, timeout=90)
        self.version = self.ask(
            "session.new", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": takes_every_certificate}}})["capabilities"]["browserVersion"]
        self.context = self.ask("browsingContext.getTree", {})["contexts"][0]["context"]
        self.ask("browsingContext.setViewport", {"context": self.context, "viewport": {"width": 1280, "height": 800}})

    def ask(self, method, parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") != self.count:
                continue
            if answer["type"] == "error":
                raise RuntimeError(f"{method}: {answer['message']}")
            return answer["result"]

    def go(self, url):
        self.ask("browsingContext.navigate", {"context": self.context, "url": url, "wait": "complete"})

    def run(self, script, *arguments):
        expression = f"JSON.stringify((function () {{{script}\n}}).apply(null, {json.dumps(arguments)}) ?? null)"
        found = self.ask("script.evaluate", {"expression": expression, "target": {"context": self.context}, "awaitPromise": False})
        if found["type"] != "success":
            raise RuntimeError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def screenshot(self):
        return base64.b64decode(self.ask("browsingContext.captureScreenshot", {"context": self.context})["data"])

    def act(self, actions):
        self.ask("input.performActions", {"context": self.context, "actions": actions})

    def quit(self):
        self.socket.close()
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
