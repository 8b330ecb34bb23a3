"""Debian's Chromium without a screen, driven by the Chrome DevTools protocol on its descriptors 3 and 4.

Messages are JSON with a NUL behind. Nothing but the standard library is needed.
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

OPTIONS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-zygote",
    "--disable-breakpad", "--disable-component-update", "--disable-sync", "--disable-background-networking",
    "--disable-default-apps", "--disable-extensions", "--password-store=basic", "--hide-scrollbars",
    "--force-color-profile=srgb", "--remote-debugging-pipe",
]
# What the pages' styles ask for first is the system's own face. Here it is this one, on every machine.
FONTS = '<?xml version="1.0"?><fontconfig><include>/etc/fonts/fonts.conf</include>' + "".join(
    f'<match target="pattern"><test name="family" qual="any"><string>{family}</string></test>'
    '<edit name="family" mode="prepend" binding="strong"><string>Roboto</string></edit></match>'
    for family in ["system-ui", "sans-serif", "sans"]) + "</fontconfig>"


class Trouble(Exception):
    pass


class Chrome:
    """A browser. Its folder and all of its processes go when it is closed."""

    def __init__(self, language="en"):
        self.folder = tempfile.mkdtemp(prefix="longwave-chrome-")
        fonts = os.path.join(self.folder, "fonts.conf")
        with open(fonts, "w", encoding="utf-8") as file:
            file.write(FONTS)
        theirs, self.out = os.pipe()
        self.incoming, ours = os.pipe()
        # No other way than a shell gives a program these two numbers.
        words = ["bash", "-c", f'exec "$@" 3<&{theirs} 4>&{ours}', "chromium", "chromium", *OPTIONS,
                 f"--lang={language}", f"--user-data-dir={self.folder}/profile", "about:blank"]
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder, "LC_ALL": "C.UTF-8", "FONTCONFIG_FILE": fonts,
                       "TZ": os.environ.get("TZ", "")}
        if not environment["TZ"]:
            del environment["TZ"]
        self.process = subprocess.Popen(words, pass_fds=(theirs, ours), env=environment, start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(ours)
        self.received = b""
        self.number = 0
        self.answers = {}
        self.tabs = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.call("Browser.close", seconds=5)
            self.process.wait(5)
        except (Trouble, OSError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def tab(self, width=1280, height=800, theme="dark", is_phone=False):
        """A tab with cookies and storage of its own."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = self.tabs[session] = Tab(self, session, target, context)
        for domain in ["Page", "Runtime", "Log", "Network"]:
            tab.call(f"{domain}.enable")
        tab.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=is_phone)
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        return tab

    def call(self, method, session=None, seconds=60, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        end = time.monotonic() + seconds
        while data:
            if not select.select([], [self.out], [], max(0, end - time.monotonic()))[1]:
                raise Trouble(f"{method}: the browser does not read")
            data = data[os.write(self.out, data[:select.PIPE_BUF]):]
        while self.number not in self.answers:
            if time.monotonic() > end:
                raise Trouble(f"{method}: no answer in {seconds} s")
            self.take(end - time.monotonic())
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise Trouble(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    def take(self, seconds):
        """Takes in what the browser says within so many seconds."""
        if not select.select([self.incoming], [], [], max(0, seconds))[0]:
            return
        piece = os.read(self.incoming, 1 << 20)
        if not piece:
            raise Trouble("the browser has ended")
        *messages, self.received = (self.received + piece).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.tabs:
                self.tabs[message["sessionId"]].note(message["method"], message["params"])


class Tab:
    def __init__(self, chrome, session, target, context):
        self.chrome, self.session, self.target, self.context = chrome, session, target, context
        self.errors = []
        # By the request's id: address, kind, bytes, how many of them are the head, and when it was sent and over.
        self.requests = {}

    def call(self, method, **parameters):
        return self.chrome.call(method, session=self.session, **parameters)

    def close(self):
        self.chrome.call("Target.closeTarget", targetId=self.target)
        self.chrome.call("Target.disposeBrowserContext", browserContextId=self.context)
        del self.chrome.tabs[self.session]

    def note(self, event, details):
        if event == "Runtime.exceptionThrown":
            thrown = details["exceptionDetails"]
            self.errors.append(thrown.get("exception", {}).get("description", thrown["text"]))
        elif event == "Runtime.consoleAPICalled" and details["type"] == "error":
            self.errors.append(" ".join(str(each.get("value")) for each in details["args"]))
        elif event == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.errors.append(f"{details['entry']['text']} {details['entry'].get('url', '')}")
        elif event == "Network.requestWillBeSent" and details["request"]["url"].startswith("http"):
            self.requests[details["requestId"]] = {
                "url": details["request"]["url"], "kind": details.get("type", ""), "bytes": 0,
                "head": 0, "begun": details["timestamp"], "is_over": False}
        elif event.startswith("Network.") and details.get("requestId") in self.requests:
            request = self.requests[details["requestId"]]
            if event == "Network.responseReceived":
                request["head"] = details["response"].get("encodedDataLength", 0)
                request["bytes"] += request["head"]
            elif event == "Network.dataReceived":
                request["bytes"] += details["encodedDataLength"]
            elif event == "Network.loadingFinished":
                request.update(bytes=details["encodedDataLength"], is_over=True)
            elif event == "Network.loadingFailed":
                request["is_over"] = True

    def evaluate(self, expression):
        """The value of an expression, or what a promise comes to."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"]
            raise Trouble(f"{expression[:120]}: {thrown.get('exception', {}).get('description', thrown['text'])}")
        return answer["result"].get("value")

    def until(self, expression, seconds=30):
        end = time.monotonic() + seconds
        while not self.evaluate(f"Boolean({expression})"):
            if time.monotonic() > end:
                text = self.evaluate("document.body?.innerText.slice(0, 600)")
                raise Trouble(f"not within {seconds} s: {expression}; {self.errors}; the page says: {text}")
            self.chrome.take(0.03)

    def rest(self, seconds):
        """Lets time pass."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.chrome.take(end - time.monotonic())

    def open(self, url):
        """Goes to an address and waits until all of it is loaded, or nearly: sound and events never end."""
        answer = self.call("Page.navigate", url=url)
        if "errorText" in answer:
            raise Trouble(f"{url}: {answer['errorText']}")
        self.until("document.readyState === 'complete'")

    def middle(self, selector, seconds=30):
        """An element's middle, its left edge and its width, once it is there and has a size."""
        script = f"""(() => {{
          const element = document.querySelector({json.dumps(selector)});
          element?.scrollIntoView({{ block: "nearest", behavior: "instant" }});
          const box = element?.getBoundingClientRect();
          return box && box.width ? [box.x + box.width / 2, box.y + box.height / 2, box.x, box.width] : null;
        }})()"""
        end = time.monotonic() + seconds
        while not (found := self.evaluate(script)):
            if time.monotonic() > end:
                raise Trouble(f"not within {seconds} s: {selector}")
            self.chrome.take(0.03)
        return found

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        x, y, *_ = self.middle(selector)
        self.mouse("mouseMoved", x, y)
        self.press_mouse(x, y)

    def press_mouse(self, x, y):
        for kind in ["mousePressed", "mouseReleased"]:
            self.mouse(kind, x, y, button="left", clickCount=1)

    def key(self, key):
        """Presses a key, named as in KeyboardEvent.key, and lets it go."""
        code = f"Key{key.upper()}" if len(key) == 1 else key
        number = {"Escape": 27, "Home": 36, "End": 35}.get(key) or ord(key.upper()[0])
        for kind in ["keyDown" if len(key) == 1 else "rawKeyDown", "keyUp"]:
            text = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number, **text)

    def picture(self, path, quality=None, clip=None):
        """Writes what is shown: PNG, or with a quality JPEG or WebP, as the path ends."""
        kind = {"jpg": "jpeg"}.get(path.rsplit(".", 1)[1], path.rsplit(".", 1)[1])
        options = {"format": kind}
        if quality:
            options["quality"] = quality
        if clip:
            options["clip"] = {"scale": 1, **clip}
        data = base64.b64decode(self.call("Page.captureScreenshot", **options)["data"])
        with open(path, "wb") as file:
            file.write(data)
