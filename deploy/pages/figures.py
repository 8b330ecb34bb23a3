"""Measures the pages in a browser, and the relay with thousands of them open: see deploy/bench-pages."""
import argparse
import os
import signal
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
from chrome import Chrome
from covers import drawn
from radio import Radio

TIMES = 20
FILES = ["Document", "Stylesheet", "Script", "Image", "Font", "Manifest", "Other"]
# Tells when a pointer was pressed or let go, and when the clock of the sound that follows began to run.
PROBE = """(kind => {
  const audio = document.getElementById("audio");
  addEventListener(kind, event => {
    const before = audio.src;
    const timer = setInterval(() => {
      if (audio.src === before || audio.seeking || audio.readyState < 2 || !(audio.currentTime > 0)) return;
      clearInterval(timer);
      globalThis.took = performance.now() - event.timeStamp - audio.currentTime * 1000;
    }, 1);
  }, { capture: true, once: true });
  globalThis.took = null;
})"""


class Figures:
    def __init__(self, chrome, radio, times):
        self.chrome, self.radio, self.times = chrome, radio, times
        self.rows = []

    def row(self, what, limit, figure):
        self.rows.append([what, limit, figure])
        print(f"{what}: {figure}", file=sys.stderr)

    def table(self):
        head = ["what", "limit", "here"]
        return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * 3, *self.rows])

    def open(self, path):
        tab = self.chrome.tab()
        tab.open(self.radio.base + path)
        return tab

    def loads(self):
        """What a page loads before anybody does anything: its own files, without artwork and without what the API says."""
        for name, path, limit in [("the player", "/listen/nightline", "48 KB, 12"), ("the stations", "/", "40 KB, 12"),
                                  ("the dashboard", "/admin/", "70 KB")]:
            tab = self.open(path)
            tab.rest(2)
            files = [each for each in tab.requests.values()
                     if each["kind"] in FILES and "/api/" not in each["url"] and each["url"].startswith(self.radio.base)]
            before = sum(each["begun"] <= self.paint(tab) for each in files)
            whole = sum(each["bytes"] for each in files) / 1024
            bodies = whole - sum(each["head"] for each in files) / 1024
            self.row(f"first load of {name}: its files, with their heads; how many, asked for before the first paint",
                     limit, f"{bodies:.1f} KB, {whole:.1f} KB; {len(files)}, {before}")
            tab.close()

    def paint(self, tab):
        """The monotonic time of the first paint, in seconds as the browser's requests have it."""
        navigation = min(each["begun"] for each in tab.requests.values())
        return navigation + tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0") / 1000

    def first_sound(self):
        took, requests = [], []
        for _ in range(self.times):
            tab = self.open("/listen/nightline")
            tab.middle(".controls .play")
            tab.rest(0.7)
            tab.evaluate(PROBE + "('pointerup')")
            before = len(tab.requests)
            tab.click(".controls .play")
            tab.until("globalThis.took !== null")
            took.append(tab.evaluate("globalThis.took"))
            requests.append(len([each for each in list(tab.requests.values())[before:] if each["kind"] == "Media"]))
            tab.close()
        self.row(f"click to sound, {self.times} times: median, worst", "300 ms", self.spread(took))
        self.row("requests for sound after the click", "1", str(max(requests)))

    def jumps(self):
        tab = self.playing("/listen/nightline")
        took = []
        for number in range(self.times):
            _, y, left, width = tab.middle("#scrubber .track")
            x = left + width * (0.08 + 0.8 * (number * 0.618 % 1))
            tab.mouse("mouseMoved", x, y)
            tab.rest(0.4)
            tab.evaluate(PROBE + "('pointerup')")
            tab.press_mouse(x, y)
            tab.until("globalThis.took !== null")
            took.append(tab.evaluate("globalThis.took"))
            tab.rest(0.4)
        tab.close()
        self.row(f"jump to sound, {self.times} places in 4 hours: median, worst", "350 ms", self.spread(took))

    @staticmethod
    def spread(milliseconds):
        return f"{statistics.median(milliseconds):.0f} ms, {max(milliseconds):.0f} ms"

    def playing(self, path):
        tab = self.open(path)
        tab.click(".controls .play")
        tab.until("document.getElementById('audio').currentTime > 1")
        return tab

    def work(self, seconds=20):
        tab = self.playing("/listen/nightline")
        tab.mouse("mouseMoved", 2, 300)
        tab.rest(4)
        tab.call("Performance.enable", timeDomain="timeTicks")
        before = self.metrics(tab)
        tab.rest(seconds)
        after = self.metrics(tab)
        tab.close()
        script, task = (100 * (after[name] - before[name]) / seconds for name in ["ScriptDuration", "TaskDuration"])
        self.row("while it plays: script, all of the page's thread", "1 ms a frame (6 %), 5 %",
                 f"{script:.2f} %, {task:.2f} % of a core")

    @staticmethod
    def metrics(tab):
        return {each["name"]: each["value"] for each in tab.call("Performance.getMetrics")["metrics"]}

    def memory(self, titles=2000):
        """A day and more of titles reaches an open page; what it then holds, and no longer needs, is let go."""
        tab = self.playing("/listen/harbour")
        tab.rest(3)
        before = self.heap(tab)
        for number in range(titles):
            self.radio.ask("stations/harbour/metadata", {"title": f"Number {number}", "artist": "Somebody Else"}, "PUT")
            if number % 50 == 0:
                tab.rest(0.3)
        tab.until("document.getElementById('title').textContent.endsWith('1999')", 60)
        tab.rest(20)
        self.row(f"heap of a page that plays, before and after {titles} titles", "+5 MB",
                 f"{before:.1f} MB, {self.heap(tab):.1f} MB")
        tab.close()

    @staticmethod
    def heap(tab):
        tab.call("HeapProfiler.enable")
        for _ in range(2):
            tab.call("HeapProfiler.collectGarbage")
        tab.call("HeapProfiler.disable")
        usage = tab.call("Runtime.getHeapUsage")
        return (usage["usedSize"] + usage["embedderHeapUsedSize"] + usage["backingStorageSize"]) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True, help="the folder of longwave and longwave-bench")
    parser.add_argument("--times", type=int, default=TIMES)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with Chrome() as chrome, Radio(options.programs, drawn(chrome)) as radio:
        figures = Figures(chrome, radio, options.times)
        for part in [figures.loads, figures.first_sound, figures.jumps, figures.work, figures.memory]:
            part()
        print(f"**Pages in {chrome.call('Browser.getVersion')['product']}**, loopback\n\n{figures.table()}\n", flush=True)
    return subprocess.run([os.path.join(options.programs, "longwave-bench"), "pages"]).returncode


sys.exit(main())
