"""What programs sound like: a sound server without a loudspeaker, and an ear at it (Debian's pulseaudio and pulseaudio-utils)."""

import array
import bisect
import os
import subprocess
import sys
import threading
import time

# Samples a second, and how many of them are listened to at once.
RATE = 8_000
LISTENED = 160
# What is louder is a sound: about 1 % of the loudest.
LOUD = 300


class Ear:
    """Hears what programs play whose environment has its PULSE_SERVER. folder: a folder that it makes."""

    def __init__(self, folder):
        os.makedirs(folder, mode=0o700)
        socket = f"{folder}/native"
        self.environment = {"PULSE_SERVER": f"unix:{socket}"}
        with open(f"{folder}/log", "w") as log:
            self.server = subprocess.Popen(
                ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm=yes",
                 "-L", "module-null-sink sink_name=nowhere", "-L", f"module-native-protocol-unix auth-anonymous=1 socket={socket}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=dict(os.environ, HOME=folder, XDG_RUNTIME_DIR=folder, PULSE_RUNTIME_PATH=folder))
            end = time.monotonic() + 30
            while not os.path.exists(socket):
                if time.monotonic() > end or self.server.poll() is not None:
                    sys.exit(f"the sound server did not start: see {folder}/log")
                time.sleep(0.05)
            self.listener = subprocess.Popen(
                ["parec", "--device=nowhere.monitor", "--format=s16le", f"--rate={RATE}", "--channels=1", "--latency-msec=20"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=dict(os.environ, HOME=folder, **self.environment))
        self.times, self.loud = [], []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while heard := self.listener.stdout.read(2 * LISTENED):
            wave = array.array("h", heard[:len(heard) // 2 * 2])
            self.loud.append(max(map(abs, wave), default=0) > LOUD)
            self.times.append(time.time())

    def is_loud(self, moment):
        """True if there was a sound at a moment, in seconds since 1970."""
        index = min(bisect.bisect_left(self.times, moment), len(self.times) - 1)
        return index >= 0 and self.loud[index]

    def stop(self):
        for process in self.listener, self.server:
            process.terminate()
            process.wait()
