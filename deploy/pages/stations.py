"""Five stations that do not exist, and what they have on air: titles, and how loud they are from second to second."""
import math
import random


class Station:
    """What a station is, and its songs, which come in an order of their own."""

    def __init__(self, id, name, description, genre, manner, bitrate, channels, hours, notes, songs, gaps=(), away=0):
        self.id, self.name, self.description, self.genre = id, name, description, genre
        self.manner, self.bitrate, self.channels, self.hours = manner, bitrate, channels, hours
        # Frequencies in Hz that it is made of.
        self.notes = notes
        self.songs = songs
        # (seconds before now, length) of what the upstream did not send.
        self.gaps = gaps
        # Seconds for which its upstream has been away now.
        self.away = away

    @property
    def home(self):
        return f"http://{self.id}.example"

    @property
    def is_talk(self):
        return self.manner == "lines"

    def artwork(self, number=None):
        """Where a song's picture is, or the station's own."""
        return f"{self.home}/{'station' if number is None else number}.jpg"

    def title(self, number):
        title, artist = self.songs[number]
        return f"{artist} - {title}"

    def pictures(self):
        """Every picture: its path, its SVG's seed, and the two texts in it."""
        yield "/station.jpg", "station", self.name, self.description
        if not self.is_talk:
            for number, (title, artist) in enumerate(self.songs):
                yield f"/{number}.jpg", number, title, artist

    def programme(self, seconds, after):
        """Yields (number of a song, levels of its seconds) for `seconds` and then for `after`; a song begins between."""
        dice = random.Random(self.id)
        order = []
        # The song that is on air now began so long ago.
        begun = dice.randrange(70, 150)
        lengths = []
        while sum(lengths) < seconds:
            lengths.append(dice.randrange(*((420, 900) if self.is_talk else (170, 330))))
        lengths[-1] -= sum(lengths) - (seconds - begun)
        if lengths[-1] < 60:
            lengths[-2] += lengths.pop()
        while sum(lengths) < seconds + after:
            lengths.append(dice.randrange(200, 320))
        for length in lengths:
            if not order:
                order = list(range(len(self.songs)))
                dice.shuffle(order)
            yield order.pop(), (speech if self.is_talk else song)(dice, length)


LEVELS = 16
STEP = 2.2  # dB from one level to the next


def level(decibels):
    return max(0, min(LEVELS - 1, round(LEVELS - 1 + decibels / STEP)))


def song(dice, length):
    """An introduction, verses and refrains, something quiet, a big end that fades."""
    whole, verse = dice.triangular(-17, 0, -5), dice.uniform(-15, -7)
    parts = [("intro", 0.09, -22), ("verse", 0.17, verse), ("refrain", 0.12, -3), ("verse", 0.15, verse + 1),
             ("refrain", 0.12, -2), ("bridge", dice.uniform(0.1, 0.2), dice.uniform(-24, -14)), ("refrain", 0.12, 0),
             ("end", 0.1, -6)]
    weight = sum(share for _, share, _ in parts)
    levels, at = [], 0.0
    for name, share, loud in parts:
        begin, at = at, at + share / weight * length
        for second in range(round(begin), round(at)):
            inside = (second - begin) / max(1.0, at - begin)
            slope = {"intro": 12 * inside, "verse": 4 * inside, "bridge": 9 * inside ** 3}.get(name, 0)
            swing = 1.2 * math.sin(second * 0.55) + 2.4 * math.sin(second * 0.11 + whole) + dice.uniform(-1.2, 1.2)
            fade = -26 * inside ** 2 if name == "end" else 0
            levels.append(level(whole + loud + slope + swing + fade))
    # A breath between two songs.
    levels[-1:] = [0]
    return levels


def speech(dice, length):
    """Sentences and pauses, voices of different strength, a jingle at the beginning."""
    levels = [level(-1 - 0.8 * second) for second in range(8)]
    while len(levels) < length:
        voice = dice.uniform(-13, -4)
        for _ in range(dice.randrange(20, 90)):
            pause = dice.random() < 0.14
            levels.append(level(voice + dice.gauss(0, 2.6) - (14 if pause else 0)))
        levels += [2, 1]
    return levels[:length]


STATIONS = [
    Station("nightline", "Nightline Jazz", "Small bands after dark", "Jazz", "night", 128, 2, 4,
            [110, 164.8, 207.7, 246.9, 311.1, 523.3],
            [("Slow Tram Home", "Ida Verhoeven Trio"), ("Seven Lamps", "Bram Oakley Quartet"),
             ("Blue Thursday", "Marguerite Osei"), ("Corner of Fifth and Rain", "The Halloway Five"),
             ("No Hurry Now", "Tomas Lindqvist"), ("Glass Elevator", "Nadia Perrault Quintet"),
             ("Last Train, First Light", "Ida Verhoeven Trio"), ("Smoke Ring Waltz", "Cornelius Bay"),
             ("A Table by the Window", "Marguerite Osei"), ("Sidewalk Arithmetic", "Oyelaran & Sons"),
             ("Half Past Nowhere", "Bram Oakley Quartet"), ("Velvet Staircase", "June Takahashi Group"),
             ("Borrowed Umbrella", "The Halloway Five"), ("Moth Hour", "Tomas Lindqvist")],
            gaps=[(11_280, 214), (4_985, 41)]),
    Station("harbour", "Harbour Folk", "Songs from both shores", "Folk", "hills", 96, 2, 3,
            [98, 146.8, 196, 246.9, 293.7, 587.3],
            [("The Long Way Around", "Mattis Lund"), ("Salt and Timber", "The Ferrymen"), ("Rowan Tree", "Aoife Brannigan"),
             ("Letters to Bergen", "Mattis Lund"), ("Low Tide", "Wren & Alder"), ("Copper Kettle Morning", "Elspeth Rae"),
             ("Two Miles to the Lighthouse", "The Ferrymen"), ("Sparrow Song", "Aoife Brannigan"),
             ("Winter Wood", "Wren & Alder"), ("What the River Kept", "Elspeth Rae"), ("Lantern Bay", "Silje Haugen")],
            gaps=[(6_420, 18)]),
    Station("kaleido", "Kaleidoscope", "Machines that dance", "Electronic", "tiles", 160, 2, 2,
            [55, 82.4, 220, 330, 440, 880],
            [("Parallax", "Nuvolari"), ("Soft Reset", "Kite Machine"), ("Vermilion", "Anouk & The Grid"),
             ("Elastic Hours", "Halftone"), ("Night Bus 41", "Kite Machine"), ("Prism Weather", "Ojo Verde"),
             ("Signal to Lisa", "Nuvolari"), ("Tangerine Static", "Halftone"), ("Under Neon Palms", "Ojo Verde"),
             ("Modulo", "Anouk & The Grid")]),
    Station("orangerie", "Orangerie", "Chamber music, unhurried", "Classical", "petals", 128, 2, 2,
            [130.8, 196, 261.6, 329.6, 392, 659.3],
            [("Quartet in D minor, II. Andante", "Leonie Abendroth"), ("Three Garden Pieces, No. 1", "Étienne Vasseur"),
             ("Sonata for Viola and Piano", "Clara Winther"), ("Nocturne in A-flat", "Pavel Dvořan"),
             ("Serenade for Winds", "Leonie Abendroth"), ("Variations on a Lullaby", "Ilse Marten"),
             ("Partita No. 4, Sarabande", "Étienne Vasseur"), ("Trio in G, III. Rondo", "Clara Winther")],
            away=412),
    Station("dispatch", "The Dispatch", "News and long conversations", "Talk", "lines", 64, 1, 3,
            [140, 280, 420, 840, 1250, 2200],
            [("The Morning Brief", "The Dispatch"), ("Water, Wires and Weather", "The Dispatch"),
             ("One Hour with Priya Raman", "The Dispatch"), ("The Harbour Tunnel, Ten Years On", "The Dispatch"),
             ("Book Talk: The Quiet Map", "The Dispatch"), ("Question Time", "The Dispatch")]),
]

# What visitors meet under a house's own name.
HOUSE = {"title": "Pier Nine Radio", "colour": "#0b7285", "footer": "Pier Nine Radio, a house of five stations",
         "links": [{"name": "Imprint", "url": "https://pier-nine.example/imprint"},
                   {"name": "Privacy", "url": "https://pier-nine.example/privacy"}]}
# A station that was never there, as its upstream says.
NOWHERE = "http://nowhere.example/live.mp3"


def one():
    """The first station by itself, without a past."""
    return [plain(STATIONS[0])]


def whole():
    """The five with their past, and what can be the matter with a station: late, closed to others, in its fallback."""
    first, *others = [{**plain(each), "window": f"{each.hours}h"} for each in STATIONS]
    return [
        {**first, "record": [{"days": "weekdays", "from": "18:00", "to": "19:30", "name": "Evening session"}],
         "shows": shows()},
        *others,
        {"id": "harbour-late", "name": "Harbour Folk West", "of": "harbour", "delay": "2h"},
        {"id": "members", "name": "The Back Room", "description": "Rehearsals and outtakes", "genre": "Jazz",
         "upstream": STATIONS[1].home + "/live.mp3", "auth": {"tokens": [KEY]}},
        {"id": "studio", "name": "Studio Two", "description": "Live from the pier on most evenings", "genre": "Folk",
         "upstream": NOWHERE, "fallback": "station:kaleido"},
    ]


KEY = "back-room-and-balcony"


def shows():
    """Shows that begin every two hours, one of which has a short one within it."""
    names = ["Small Hours", "First Tram", "Breakfast on the Pier", "Post and Weather", "Second Cup", "Lunch with Marguerite",
             "Records from the Attic", "The Long Afternoon, with friends and whoever comes by", "Rush Hour Slow",
             "Supper Club", "Evening Session", "Last Orders"]
    return [{"name": name, "from": f"{hour:02}:00", "to": f"{(hour + 2) % 24:02}:00", "text": "With Marguerite Osei",
             "record": True} for name, hour in zip(names, range(0, 24, 2))] + [
        {"name": f"News at {hour}", "from": f"{hour:02}:00", "to": f"{hour:02}:05"} for hour in range(1, 24, 4)]


def many():
    """Forty, some of which have long names, and eight of which are closed, away, late or in their fallback."""
    places = ["Harbour", "Attic", "Boulevard", "Lighthouse", "Orchard", "Station Square", "Riverside", "North Pier"]
    kinds = ["Jazz", "Folk", "Electronic", "Classical", "Talk"]
    playing = [each for each in STATIONS if not each.away]
    stations = []
    for number in range(len(places) * len(kinds)):
        place, kind = places[number % len(places)], kinds[number % len(kinds)]
        source = playing[number % len(playing)]
        station = {"id": f"s{number}", "name": f"{place} {kind}", "description": source.description, "genre": kind,
                   "upstream": source.home + "/live.mp3"}
        if number % 3:
            station["artwork"] = source.artwork(None if source.is_talk else number % len(source.songs))
        if number % 10 == 3:
            station["auth"] = {"tokens": [KEY]}
        elif number % 10 == 6:
            station["upstream"] = NOWHERE
            if number < 20:
                station["fallback"] = "station:s0"
        elif number % 10 == 8:
            station["name"] += " for everybody who comes home late and wants to hear what was on"
        stations.append(station)
    return stations


def plain(station):
    return {"id": station.id, "name": station.name, "description": station.description, "genre": station.genre,
            "upstream": station.home + "/live.mp3", "artwork": station.artwork()}
