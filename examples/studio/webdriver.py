"""A browser without a window, driven over the WebDriver protocol with the standard library alone."""

import contextlib
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008", "Control": "\ue009", "Escape": "\ue00c", "Delete": "\ue017",
    "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Home": "\ue011", "End": "\ue010", "Backspace": "\ue003",
}
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-quic", "--disable-dev-shm-usage", "--force-device-scale-factor=1",
]


def programs():
    """The driver and the browser, or None for one that is missing."""
    browsers = ["chromium", "chromium-browser", "google-chrome", "chrome"]
    return shutil.which("chromedriver"), next(filter(None, map(shutil.which, browsers)), None)


class Browser:
    """A session of a browser, with the files that it downloads."""

    def __init__(self, driver, browser):
        self.stack = contextlib.ExitStack()
        self.downloads = self.stack.enter_context(tempfile.TemporaryDirectory())
        profile = self.stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.stack.callback(self.driver.wait)
        self.stack.callback(self.driver.terminate)
        port = next(found[1] for line in self.driver.stdout if (found := re.search(r"successfully on port (\d+)", line)))
        self.base = f"http://127.0.0.1:{port}"
        options = {
            "binary": browser, "args": [*FLAGS, f"--user-data-dir={profile}", "--window-size=1280,900"],
            "prefs": {"download.default_directory": self.downloads, "download.prompt_for_download": False},
        }
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{session['sessionId']}"
        self.stack.callback(self.call, "DELETE", "")
        self.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def call(self, method, path, body=None):
        """The value of an answer of the driver."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def devtools(self, command, **params):
        """The result of a command of the DevTools protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *given):
        """The value that a script returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": given})

    def find(self, selector):
        """The first element of a selector, shown or not."""
        return self.call("POST", "/element", {"using": "css selector", "value": selector})

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)[ELEMENT]}/click", {})

    def type(self, selector, text):
        """Types a text, or the path of a file, into an element."""
        self.call("POST", f"/element/{self.find(selector)[ELEMENT]}/value", {"text": text})

    def press(self, *names, held=()):
        """Presses keys by their names or letters, while others are held."""
        code = lambda name: KEYS.get(name, name)
        steps = [{"type": "keyDown", "value": code(name)} for name in held]
        for name in names:
            steps += [{"type": kind, "value": code(name)} for kind in ("keyDown", "keyUp")]
        steps += [{"type": "keyUp", "value": code(name)} for name in reversed(held)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def drag(self, *places, button=0):
        """Presses the mouse button at the first position of the window, moves to the others, and releases the button at the last."""
        move = lambda place: {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": round(place[0]), "y": round(place[1])}
        steps = [move(places[0]), {"type": "pointerDown", "button": button}, *map(move, places[1:]), {"type": "pointerUp", "button": button}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}]})

    def hover(self, place):
        step = {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": round(place[0]), "y": round(place[1])}
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [step]}]})

    def until(self, script, *given, told="", seconds=60):
        """Runs a script until its value is true, and returns this value."""
        end = time.monotonic() + seconds
        while True:
            value = self.run(script, *given)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {told or script}")
            time.sleep(0.05)

    def logged(self):
        """The lines of the console since the last call."""
        return [line["message"] for line in self.call("POST", "/se/log", {"type": "browser"})]

    def screenshot(self):
        """A picture of the window in base64."""
        return self.call("GET", "/screenshot")
