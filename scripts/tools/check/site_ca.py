"""What scripts/check-site-ca.sh checks.

folder: has the certificates: `site` (the root), `robot` (a robot's by the root), `alone` (self-signed) and `bank` (by the root, for a
name that it may not vouch for). A Chromium and a Firefox open a page of each, with one certificate or another installed.
"""

import os
import re
import socket
import subprocess
import sys
import time

from tools.arguments import arguments
from tools.browser import Browser, Firefox
from tools.processes import Program

WORK = arguments(__doc__, "folder").folder
ROBOT, BANK = "robot7.local", "bank.example"
# Of no key: Chromium is to judge by what is installed.
NO_PIN = "sha256/" + 43 * "A" + "="


class Robot(Program):
    """A server of one page, with a key and a certificate."""

    def __init__(self, name):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        super().__init__(
            ["openssl", "s_server", "-accept", f"127.0.0.1:{self.port}", "-www", "-quiet", "-key", f"{WORK}/{name}/server.key", "-cert",
             f"{WORK}/{name}/server.pem", "-cert_chain", f"{WORK}/{name}/server.pem"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)


def install(database, certificate, trust):
    """As certs/README.md says."""
    os.makedirs(database, mode=0o700, exist_ok=True)
    if not os.path.exists(f"{database}/cert9.db"):
        subprocess.run(["certutil", "-N", "-d", f"sql:{database}", "--empty-password"], check=True)
    subprocess.run(["certutil", "-A", "-d", f"sql:{database}", "-t", trust, "-n", "Footage", "-i", certificate], check=True)


def chromium(number, installed, url, host):
    home = f"{WORK}/chromium-{number}"
    if installed:
        install(f"{home}/.pki/nssdb", *installed)
    os.makedirs(home, exist_ok=True)
    os.environ["HOME"] = home
    browser = Browser(f"{home}/profile", url, "127.0.0.1", NO_PIN)
    try:
        return opened(browser, url, host)
    finally:
        browser.quit()


def firefox(number, installed, url, host):
    home = f"{WORK}/firefox-{number}"
    os.makedirs(home)
    if installed:
        install(home, *installed)
    with open(f"{home}/user.js", "w", encoding="utf-8") as file:
        file.write(f'user_pref("network.dns.localDomains", "{ROBOT},{BANK}");\n')
    with open(f"{WORK}/firefox.log", "a", encoding="utf-8") as log:
        browser = Firefox(home, log, takes_every_certificate=False)
        try:
            return opened(browser, url, host)
        finally:
            browser.quit()


def opened(browser, url, host):
    """Nothing where the page is there; else why not."""
    try:
        browser.go(url)
    except RuntimeError as error:
        code = re.search(r"\b(ERR|SEC_ERROR|MOZILLA_PKIX_ERROR)_\w+", str(error))
        return code[0] if code else str(error).splitlines()[0]
    where = browser.run("return location.href + ' ' + document.body.textContent")
    if where.startswith(f"https://{host}:") and "Ciphers supported" in where:
        return None
    # Chromium shows a page in its place, and its code on it.
    code = re.search(r"\bERR_\w+", where)
    return code[0] if code else where[:200]


def main():
    root, alone = f"{WORK}/site/site-ca.pem", f"{WORK}/alone/server.pem"
    # What is opened, with what installed, by its trust; and why it does not open, where it does not.
    by_root = [
        ("robot", ROBOT, (root, "C,,"), None), ("robot", "127.0.0.1", (root, "C,,"), None)]
    # A self-signed certificate is nobody's authority, its own least of all: the two see it in different ways.
    browsers = {
        "Chromium": (chromium, [
            ("robot", ROBOT, None, "ERR_CERT_AUTHORITY_INVALID"), *by_root, ("bank", BANK, (root, "C,,"), "ERR_CERT_"),
            ("alone", ROBOT, (alone, "C,,"), "ERR_CERT_INVALID"), ("alone", ROBOT, (alone, "P,,"), None)]),
        "Firefox": (firefox, [
            ("robot", ROBOT, None, "SEC_ERROR_UNKNOWN_ISSUER"), *by_root, ("bank", BANK, (root, "C,,"), "SEC_ERROR_CERT_NOT_IN_NAME_SPACE"),
            ("alone", ROBOT, (alone, "C,,"), None), ("alone", ROBOT, (alone, "P,,"), "MOZILLA_PKIX_ERROR_SELF_SIGNED_CERT")]),
    }
    failed = False
    for name, (visit, cases) in browsers.items():
        for number, (robot, host, installed, wanted) in enumerate(cases):
            with Robot(robot) as server:
                reason = visit(number, installed, f"https://{host}:{server.port}/", host)
            words = f"{os.path.basename(os.path.dirname(installed[0]))} installed as {installed[1]}" if installed else "nothing installed"
            right = reason == wanted if wanted is None or reason is None else reason.startswith(wanted)
            failed = failed or not right
            print(f"- {name}, {words}: {robot} at {host} {'opens' if reason is None else 'is rejected: ' + reason}"
                  f"{'' if right else ', which is WRONG'}", flush=True)
    return 1 if failed else 0


sys.exit(main())
