"""Makes pictures of every screen of the pages, in both themes and all sizes: see deploy/pictures."""
import argparse
import os
import signal
import sys

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True
from chrome import Chrome, Trouble
from covers import drawn
import stations
from radio import TOKEN, Radio

SIZES = {"desktop": (1280, 800), "tablet": (820, 1180), "phone": (360, 740), "sideways": (740, 360)}
TOUCHED = {"phone", "sideways"}
THEMES = ["dark", "light"]
LISTENERS = 300
PARTS = ["stations", "player_live", "player_states", "player_shifted", "shows", "embed", "dashboard"]
# Small ones besides, for Sources/Web/pictures.
SMALL = ["player-shifted.dark.desktop", "stations.dark.desktop", "dashboard-stations-nightline.dark.desktop"]
# Another site, with the small player in a frame.
SITE = """<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Harbour Notes</title><link rel="icon" href="data:,">
<style>body { margin: 0; font: 17px/1.6 Roboto, sans-serif; background: BACK; color: FORE }
main { max-width: 640px; margin: 0 auto; padding: 28px 18px } iframe { border: 0; width: 100% }</style>
<main><h1>The night the harbour froze</h1><p>Nobody who was there forgets the sound. Marguerite Osei had just begun the
second set when the lights along the pier went out, one after the other, and the band simply went on.</p>
<iframe src="FRAME" height="152" allow="autoplay; clipboard-write"></iframe>
<p>Press play: it begins where the lights go out. What you hear is the broadcast as it went out that evening.</p></main>"""


class Screens:
    """One browser's way through the pages, in one theme and size."""

    def __init__(self, chrome, radio, others, folder, theme, size):
        """- others: relays with other numbers of stations, by what they have."""
        self.radio, self.others, self.folder, self.theme, self.size = radio, others, folder, theme, size
        self.chrome = chrome
        self.tab = None

    def begin(self, path, relay=None):
        """Opens a page as somebody who has never been there."""
        self.end()
        width, height = SIZES[self.size]
        self.tab = self.chrome.tab(width, height, self.theme, is_phone=self.size in TOUCHED)
        self.tab.open((relay or self.radio).base + path)

    def end(self):
        if self.tab:
            for error in self.tab.errors:
                print(f"{self.theme}, {self.size}: {error}", file=sys.stderr)
            self.tab.close()
        self.tab = None

    def take(self, name, rest=0.6):
        # What moves comes to rest, and pictures arrive.
        self.tab.until("[...document.images].every(each => each.complete)")
        self.tab.rest(rest)
        path = os.path.join(self.folder, f"{name}.{self.theme}.{self.size}")
        self.tab.picture(path + ".png")
        if os.path.basename(path) in SMALL:
            self.tab.picture(path + ".webp", quality=72)

    def play(self):
        self.tab.click(".controls .play")
        self.tab.until("document.getElementById('audio').currentTime > 1")

    def stations(self):
        self.begin("/")
        self.take("stations")
        self.bottom()
        self.take("stations-end")
        for name, relay in self.others.items():
            self.begin("/", relay)
            self.take(f"stations-{name}", rest=1)
        self.begin("/", self.others["many"])
        self.tab.click("[data-station=s2] .button.play")
        self.tab.until("document.querySelector('#bar .song')")
        self.take("stations-many-bar", rest=2)
        self.bottom()
        self.take("stations-many-end")

    def bottom(self):
        self.tab.evaluate("scrollTo(0, document.body.scrollHeight)")

    def player_live(self):
        self.begin("/listen/nightline")
        self.play()
        self.take("player", rest=2)
        self.tab.mouse("mouseMoved", 2, 300)
        self.tab.evaluate("document.getElementById('played').scrollIntoView()")
        self.take("player-played")
        self.begin("/listen/kaleido")
        self.take("player-other", rest=2)

    def player_states(self):
        """A station that is away, one in its fallback, one for members, one that is late."""
        for name, station in [("away", "orangerie"), ("fallback", "studio"), ("closed", "members"), ("late", "harbour-late")]:
            self.begin(f"/listen/{station}")
            self.take(f"player-{name}", rest=2)

    def shows(self):
        self.begin("/listen/nightline/shows")
        self.take("shows", rest=1.5)

    def player_shifted(self):
        self.begin("/listen/nightline?offset=4500")
        self.tab.until("document.getElementById('place').textContent.includes('behind')")
        self.play()
        self.tab.rest(1.5)
        _, y, left, width = self.tab.middle("#scrubber .track")
        self.tab.mouse("mouseMoved", left + width * 0.4, y)
        self.take("player-shifted")
        # Into the page's margin, so that nothing is pointed at.
        self.tab.mouse("mouseMoved", 2, 300)
        for name, key in [("player-clip", "c"), ("player-share", "s"), ("player-keys", "?")]:
            self.tab.key(key)
            self.tab.rest(1)
            self.take(name)
            self.tab.key("Escape")

    def embed(self):
        self.begin("/")
        frame = f"{self.radio.base}/listen/nightline/embed?theme={self.theme}&offset=7260"
        back, fore = ("#16181d", "#e8e8ea") if self.theme == "dark" else ("#ffffff", "#1c1c1e")
        site = SITE.replace("BACK", back).replace("FORE", fore).replace("FRAME", frame)
        self.tab.open(self.radio.other_site(site))
        self.take("embed", rest=3)

    def dashboard(self):
        self.begin("/admin/")
        self.tab.until("document.querySelector('#token')")
        self.take("dashboard-sign-in")
        self.tab.evaluate(f"location.hash = '#token={TOKEN}'")
        self.tab.until("document.querySelector('nav.views')")
        # Rates are known once there are figures of two moments.
        self.tab.until("/bit.s in.*bit.s out/.test(document.querySelector('.figures').textContent)")
        views = self.tab.evaluate("[...document.querySelectorAll('nav.views a')].map(link => link.hash.slice(1))")
        for view in views + ["stations/nightline"]:
            self.tab.evaluate(f"location.hash = '#{view}'")
            self.take("dashboard-" + view.replace("/", "-"), rest=1.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--programs", required=True, help="the folder of longwave and longwave-bench")
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    # What was begun ends with an interrupt too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.makedirs(options.folder, exist_ok=True)
    failed = 0
    with Chrome() as chrome, Radio(options.programs, drawn(chrome), print) as radio:
        radio.fill(LISTENERS)
        others = {"one": radio.serve(stations.one()), "many": radio.serve(stations.many(), stations.HOUSE)}
        print("Taking pictures")
        for theme in THEMES:
            for size in SIZES:
                screens = Screens(chrome, radio, others, options.folder, theme, size)
                for part in [options.only] if options.only else PARTS:
                    try:
                        getattr(screens, part)()
                    except Trouble as trouble:
                        failed = 1
                        print(f"{theme}, {size}, {part}: {trouble}", file=sys.stderr)
                screens.end()
    return failed


sys.exit(main())
