"""A relay with a past of hours and hundreds of listeners, all of it on this machine.

The stations' servers are behind a proxy that the relay is told to use, so that they have names of their own.
"""
import concurrent.futures
import http.server
import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import covers
import stations
from stations import LEVELS, STATIONS, STEP

TOKEN = "orchard-lantern-seven"
# A level's sound lasts so many seconds, of which the first few frames are left out: they still sound as before.
SOUND_SECONDS, FRAMES_LEFT_OUT = 8, 8
SAMPLES, RATE = 1152, 44_100
BURST = 6.0
METAINT = 16_000
PLAYERS = ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
           "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
           "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0",
           "VLC/3.0.21 LibVLC/3.0.21", "mpv 0.39.0", "foobar2000/2.1", "iTunes/12.13", "Winamp/5.9", "RadioDroid2/0.86"]


def free_port():
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


class Sound:
    """A station's sound at each level, as frames of MP3 that do not need each other."""

    def __init__(self, station, folder):
        self.path = os.path.join(folder, f"{station.id}.mp3")
        tones = [f"{0.22 / (1 + 0.5 * number):.3f}*sin(2*PI*{note}*t)*(0.6+0.4*sin(2*PI*t*{0.25 * (number + 1)}))"
                 for number, note in enumerate(station.notes)]
        beat = "0.16*(random(0)-0.5)*exp(-9*mod(t,0.5))"
        sides = [f"{'+'.join(tones[side:] + tones[:side])}+{beat}" for side in range(station.channels)]
        loud = f"volume='pow(10,({STEP}*(floor(t/{SOUND_SECONDS})-{LEVELS - 1})-3)/20)':eval=frame"
        base = os.path.join(folder, f"{station.id}.wav")
        source = f"aevalsrc=exprs='{'|'.join(sides)}':s={RATE}:d={SOUND_SECONDS}"
        ffmpeg = ["ffmpeg", "-v", "error", "-y"]
        subprocess.run(ffmpeg + ["-f", "lavfi", "-i", source, base], check=True, stdin=subprocess.DEVNULL)
        subprocess.run(ffmpeg + ["-stream_loop", str(LEVELS), "-i", base, "-af", loud, "-t", str(SOUND_SECONDS * LEVELS),
                                 "-c:a", "libmp3lame", "-b:a", f"{station.bitrate}k", "-reservoir", "0",
                                 "-write_xing", "0", "-id3v2_version", "0", "-map_metadata", "-1", self.path],
                       check=True, stdin=subprocess.DEVNULL)
        os.remove(base)
        self.frames = self.split(station.bitrate)
        self.each = SOUND_SECONDS * RATE // SAMPLES

    def split(self, bitrate):
        with open(self.path, "rb") as file:
            data = file.read()
        frames, at = [], 0
        while at + 4 <= len(data) and data[at] == 0xFF:
            size = 144_000 * bitrate // RATE + (data[at + 2] >> 1 & 1)
            frames.append(data[at:at + size])
            at += size
        return frames

    def place(self, level, number):
        """The frame that sounds as loud as this, for the so manieth frame of a programme."""
        return level * self.each + FRAMES_LEFT_OUT + number % (self.each - FRAMES_LEFT_OUT - 1)


class Programme:
    """What a station has on air: its past as lines for `longwave-bench past`, and then frames without end."""

    def __init__(self, station, sound, after=3600):
        self.station, self.sound = station, sound
        past = station.hours * 3600 - station.away
        gaps = [(station.hours * 3600 - before, length) for before, length in sorted(station.gaps, reverse=True)]
        # What is missing was not played.
        played = past - sum(length for _, length in gaps)
        seconds = [(song, level) for song, levels in station.programme(played, after) for level in levels]
        self.coming = seconds[played:]
        self.lines = []
        missing, number = 0, 0
        for second, (song, level) in enumerate(seconds[:played]):
            if gaps and second + missing >= gaps[0][0]:
                missing += gaps[0][1]
                self.lines.append(f"gap {gaps.pop(0)[1]}")
            if second == 0 or song != seconds[second - 1][0]:
                picture = "" if station.is_talk else f"\t{station.artwork(song)}"
                self.lines.append(f"title {station.title(song)}{picture}")
            number = self.add(level, number, (second + 1) * RATE // SAMPLES)

        if station.away:
            self.lines.append(f"gap {station.away}")

    def add(self, level, number, end):
        """Adds the frames from one number to another as stretches that are as long as can be."""
        while number < end:
            first = self.sound.place(level, number)
            count = 1
            while number + count < end and self.sound.place(level, number + count) == first + count:
                count += 1
            self.lines.append(f"play {first} {count}")
            number += count
        return number

    def write(self, bench, data):
        """Begins to write the past."""
        words = [bench, "past", os.path.join(data, "stations", self.station.id), "--audio", self.sound.path]
        writer = subprocess.Popen(words, stdin=subprocess.PIPE)
        writer.stdin.write("\n".join(self.lines).encode())
        writer.stdin.close()
        return writer

    def frames(self):
        """Yields (song, frame) from now on, for ever."""
        number = 0
        while True:
            for second, (song, level) in enumerate(self.coming):
                while number * SAMPLES < (second + 1) * RATE:
                    yield song, self.sound.frames[self.sound.place(level, number)]
                    number += 1
            number = 0


class Upstreams(http.server.ThreadingHTTPServer):
    """The proxy behind which the stations' servers are: their streams and their pictures."""

    daemon_threads = True

    def __init__(self, programmes, pictures):
        super().__init__(("127.0.0.1", 0), Upstream)
        self.programmes = {urllib.parse.urlsplit(each.station.home).netloc: each for each in programmes}
        # (type, bytes) by the whole address.
        self.files = {address: ("image/jpeg", picture) for address, picture in pictures.items()}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """A relay may leave in the middle of a stream."""


class Upstream(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path in self.server.files:
            kind, body = self.server.files[self.path]
            return self.answer(200, [("Content-Type", kind), ("Content-Length", len(body))], body)
        address = urllib.parse.urlsplit(self.path)
        programme = self.server.programmes.get(address.netloc)
        if not programme or address.path != "/live.mp3":
            return self.answer(404)
        if programme.station.away:
            return self.answer(503)
        self.play(programme)

    def answer(self, status, fields=(), body=b""):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def play(self, programme):
        station = programme.station
        has_titles = self.headers.get("Icy-MetaData") == "1"
        fields = [("Content-Type", "audio/mpeg"), ("icy-name", station.name), ("icy-genre", station.genre),
                  ("icy-br", station.bitrate)] + ([("icy-metaint", METAINT)] if has_titles else [])
        self.answer(200, fields)
        begun, sent, left, told = time.monotonic() - BURST, 0, METAINT, None
        for song, frame in programme.frames():
            while has_titles and len(frame) >= left:
                block = b"\0" if song == told else self.block(station, song)
                self.wfile.write(frame[:left] + block)
                frame, left, told = frame[left:], METAINT, song
            self.wfile.write(frame)
            left -= len(frame)
            sent += SAMPLES / RATE
            time.sleep(max(0, begun + sent - time.monotonic()))

    def block(self, station, song):
        picture = "" if station.is_talk else f"StreamUrl='{station.artwork(song)}';"
        text = f"StreamTitle='{station.title(song)}';{picture}".encode()
        units = -(-len(text) // 16)
        return bytes([units]) + text.ljust(units * 16, b"\0")

    def log_message(self, *_):
        pass


class Audience(threading.Thread):
    """Listeners, each with a place in time of its own. They take what they are sent and do nothing with it."""

    def __init__(self, port, shares):
        super().__init__(daemon=True)
        self.dice = random.Random(7)
        self.sockets = []
        for station, count in shares:
            for _ in range(count):
                self.sockets.append(self.join(port, station))

    def behind(self, station):
        """Seconds behind live; many came for the same moment."""
        chance, most = self.dice.random(), station.hours * 3600 - 120
        if chance < (0 if station.away else 0.62):
            return 0
        if chance < 0.8:
            return min(most, 4_210 + abs(self.dice.gauss(0, 75)))
        return min(most, station.away + self.dice.expovariate(1 / 2_600))

    def join(self, port, station):
        behind = self.behind(station)
        at = time.strftime("?at=%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - behind)) if behind else ""
        address = f"{self.dice.choice(['203.0.113', '198.51.100', '192.0.2'])}.{self.dice.randrange(1, 255)}"
        each = socket.create_connection(("127.0.0.1", port))
        each.sendall(f"GET /{station.id}{at} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Forwarded-For: {address}\r\n"
                     f"User-Agent: {self.dice.choice(PLAYERS)}\r\nIcy-MetaData: 1\r\n\r\n".encode())
        each.setblocking(False)
        return each

    def run(self):
        while True:
            for each in self.sockets:
                try:
                    each.recv(1 << 18)
                except BlockingIOError:
                    pass
            time.sleep(0.5)


class Relay:
    """A relay that runs."""

    def __init__(self, process, port, log):
        self.process, self.port, self.log = process, port, log
        self.base = f"http://127.0.0.1:{port}"

    def wait(self, is_true, seconds=60):
        end = time.monotonic() + seconds
        while True:
            try:
                if is_true():
                    return
            except OSError:
                pass
            if time.monotonic() > end or self.process.poll() is not None:
                with open(self.log, encoding="utf-8") as log:
                    raise RuntimeError(f"the relay is not as it should be:\n{log.read()[-2000:]}")
            time.sleep(0.1)

    def ask(self, path, body=None, method=None):
        """What the API says, asked as the administrator."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}/api/v1/{path}", data, method=method, headers={
            "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=20) as answer:
            return json.load(answer)

    def stations(self):
        return self.ask("stations")["stations"]


class Radio:
    """The relay with all that is around it; it ends, and its folder goes, with `with`."""

    def __init__(self, programs, pictures=None, say=lambda _: None):
        """- programs: the folder of `longwave` and `longwave-bench`.
        - pictures: makes the pictures: called with the SVGs by address, returns JPEGs by address."""
        self.folder = tempfile.mkdtemp(prefix="longwave-radio-")
        self.relays = []
        try:
            self.start(programs, pictures, say)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for relay in self.relays:
            relay.process.terminate()
        for relay in self.relays:
            try:
                relay.process.wait(10)
            except subprocess.TimeoutExpired:
                relay.process.kill()
                relay.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, programs, pictures, say):
        say("Drawing covers")
        drawn = {station.home + path: covers.cover(station.manner, seed, heading, below)
                 for station in STATIONS for path, seed, heading, below in station.pictures()}
        pictures = pictures(drawn) if pictures else {}
        say("Writing hours of past")
        data = os.path.join(self.folder, "data")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            programmes = list(pool.map(lambda each: Programme(each, Sound(each, self.folder)), STATIONS))
        writers = [each.write(os.path.join(programs, "longwave-bench"), data) for each in programmes]
        if any([each.wait() for each in writers]):
            raise RuntimeError("longwave-bench past failed; its words are above")
        self.upstreams = Upstreams(programmes, pictures)
        self.program = os.path.join(programs, "longwave")
        self.relay = self.serve(stations.whole(), data=data)
        self.base = self.relay.base

    def serve(self, stations, web=None, data=None):
        """Runs a relay with these stations behind the proxy, until all play that can."""
        port, place = free_port(), os.path.join(self.folder, str(len(self.relays)))
        # JSON is YAML.
        with open(place + ".yml", "w", encoding="utf-8") as file:
            json.dump({"server": {"listen": [f"127.0.0.1:{port}"], "trusted-proxies": ["127.0.0.1"],
                                  "data": data or place + ".data"},
                       "upstream": {"proxy": f"http://127.0.0.1:{self.upstreams.server_address[1]}"},
                       "admin": {"token": TOKEN}, "stations": stations, **({"web": web} if web else {})}, file, indent=2)
        with open(place + ".log", "w", encoding="utf-8") as log:
            process = subprocess.Popen([self.program, "serve", "--config", place + ".yml"], stdout=log, stderr=log,
                                       stdin=subprocess.DEVNULL)
        relay = Relay(process, port, place + ".log")
        self.relays.append(relay)
        theirs = [f"{each.home}/live.mp3" for each in STATIONS if not each.away]
        playing = {each["id"] for each in stations if each.get("upstream") in theirs}
        relay.wait(lambda: all(each["state"] == "playing" for each in relay.stations() if each["id"] in playing))
        return relay

    def ask(self, path, body=None, method=None):
        return self.relay.ask(path, body, method)

    def other_site(self, page):
        """Returns the address of a page that is somebody else's."""
        self.upstreams.files["/notes"] = ("text/html; charset=utf-8", page.encode())
        return f"http://localhost:{self.upstreams.server_address[1]}/notes"

    def fill(self, listeners):
        """Lets listeners come, and does what an operator has done by then."""
        shares = [0.46, 0.2, 0.18, 0.04, 0.12]
        Audience(self.relay.port, [(station, round(listeners * share)) for station, share in zip(STATIONS, shares)]).start()
        self.relay.wait(lambda: sum(each["listeners"]["now"] for each in self.relay.stations()) >= listeners * 0.98)
        self.ask("recordings", {"station": "nightline", "from": "-90m", "until": "-30m", "name": "Ida Verhoeven live"})
        self.ask("recordings", {"station": "dispatch", "from": "-20m", "seconds": 3600, "name": "Question Time"})
        self.ask("bans", {"address": "198.51.100.77", "reason": "opens forty streams at once", "seconds": 86_400})
        self.ask("bans", {"address": "2001:db8:51::/48", "reason": "sells our stream"})
