"""Drawn covers, as SVG of 600 x 600: one manner for each station, and in it one picture for each title."""
import html
import math
import os
import random
import tempfile

SIZE = 600


def cover(manner, seed, heading, below):
    """Returns the SVG of a title by somebody, or of a station and what it is."""
    dice = random.Random(f"{manner}/{seed}")
    drawn = {"night": night, "hills": hills, "tiles": tiles, "petals": petals, "lines": lines}[manner]
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}">{drawn(dice, heading, below)}</svg>'


def rectangle(x, y, width, height, fill, **more):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"{attributes(more)}/>'


def circle(x, y, radius, fill, **more):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}"{attributes(more)}/>'


def path(steps, fill, **more):
    return f'<path d="{steps}" fill="{fill}"{attributes(more)}/>'


def attributes(more):
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())


def words(text, x, y, size, fill, weight=700, spacing=0.0, anchor="start", width=520):
    """A text in as many lines as it needs, the last one at y; returns it and the y above it."""
    most = max(6, int(width / size / 0.54))
    rows, row = [], ""
    for word in text.split():
        if row and len(row) + 1 + len(word) > most:
            rows.append(row)
            row = word
        else:
            row = f"{row} {word}".strip()
    rows.append(row)
    top = y - (len(rows) - 1) * size * 1.08
    style = f'font-family="Roboto, sans-serif" font-weight="{weight}" font-size="{size}"'
    made = "".join(
        f'<text x="{x}" y="{top + number * size * 1.08:.0f}" fill="{fill}" {style} letter-spacing="{spacing * size:.1f}" '
        f'text-anchor="{anchor}">{html.escape(row)}</text>' for number, row in enumerate(rows))
    return made, top - size


def night(dice, heading, below):
    """A street by night: windows, a moon, and the letters large."""
    sky, far, near, light, moon = dice.choice([
        ("#14213d", "#1f3460", "#0b1226", "#fca311", "#f6e7c1"), ("#2b1b3d", "#49295f", "#170d24", "#ff7a59", "#ffe1c4"),
        ("#0f2f38", "#17505c", "#07191f", "#ffd166", "#e8f3e4"), ("#3a1526", "#602540", "#1d0912", "#ffb86b", "#ffe9d6"),
        ("#1c2a1f", "#2f4a35", "#0d150f", "#f2c14e", "#f3efd9"), ("#23233b", "#3b3c66", "#101020", "#8fd3ff", "#e9f0ff")])
    out = [rectangle(0, 0, SIZE, SIZE, sky)]
    x, y, radius = dice.uniform(360, 480), dice.uniform(110, 190), dice.uniform(60, 95)
    out += [circle(x, y, radius * (1 + 0.35 * ring), moon, opacity=0.05) for ring in (3, 2, 1)]
    out.append(circle(x, y, radius, moon))
    for fill, base, step, has_light in [(far, 230, 66, False), (near, 310, 84, True)]:
        left = -dice.uniform(0, 30)
        while left < SIZE:
            width, top = step * dice.uniform(0.75, 1.4), base + dice.uniform(-50, 90)
            out.append(rectangle(left, top, width + 1, SIZE - top, fill))
            for row in range(int((SIZE - 190 - top) / 26) if has_light else 0):
                for column in range(int((width - 14) / 20)):
                    if dice.random() < 0.3:
                        out.append(rectangle(left + 10 + column * 20, top + 14 + row * 26, 9, 14, light,
                                             opacity=round(dice.uniform(0.5, 1), 2)))
            left += width
    out.append(rectangle(0, SIZE - 170, SIZE, 170, near))
    text, top = words(heading, 40, SIZE - 76, 44, "#ffffff", width=400)
    out.append(rectangle(0, top - 20, SIZE, SIZE - top + 20, near))
    return "".join(out) + text + words(below, 40, SIZE - 36, 24, light, weight=400)[0]


def hills(dice, heading, below):
    """Hills one behind the other, and a sun."""
    low, high, sun, front = dice.choice([
        ("#f9d5a7", "#e07a5f", "#fff3d6", "#3d405b"), ("#d7ecd9", "#81b29a", "#fffbe8", "#1f3d36"),
        ("#f6c9c0", "#a55a7a", "#fff0e5", "#3a1f3d"), ("#cfe8f3", "#5b8fb9", "#ffffff", "#16324f"),
        ("#fbe3a1", "#d98f3b", "#fffdf0", "#5a2d0c"), ("#dcd6f7", "#7d6bb0", "#fdf9ff", "#2a1f4f")])
    out = [f'<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop stop-color="{high}"/>'
           f'<stop offset="0.75" stop-color="{low}"/></linearGradient>', rectangle(0, 0, SIZE, SIZE, "url(#sky)")]
    x, y, radius = dice.uniform(170, 430), dice.uniform(190, 280), dice.uniform(70, 110)
    out += [circle(x, y, radius * 1.5, sun, opacity=0.18), circle(x, y, radius, sun, opacity=0.95)]
    for layer in range(5):
        base, height = 290 + layer * 62, 70 - layer * 7
        phase, pace = dice.uniform(0, 7), dice.uniform(0.006, 0.012)
        points = " ".join(
            f"L{at} {base + height * math.sin(at * pace + phase) + 16 * math.sin(at * pace * 3.1 + phase * 2):.0f}"
            for at in range(0, SIZE + 20, 20))
        out.append(path(f"M0 {SIZE} {points} L{SIZE} {SIZE}Z", front, opacity=round(0.22 + 0.16 * layer, 2)))
    out.append(rectangle(0, SIZE - 40, SIZE, 40, front))
    text, top = words(heading, 40, SIZE - 76, 42, "#ffffff", width=400)
    return "".join(out) + text + words(below, 40, SIZE - 36, 24, low, weight=400)[0]


def tiles(dice, heading, below):
    """Quarter circles in a grid."""
    ground, *inks = dice.choice([
        ("#10002b", "#ff006e", "#fb5607", "#ffbe0b", "#3a86ff"), ("#f1faee", "#e63946", "#1d3557", "#457b9d", "#a8dadc"),
        ("#0b132b", "#5bc0be", "#6fffe9", "#3a506b", "#f7fff7"), ("#fff1e6", "#f72585", "#7209b7", "#3a0ca3", "#4cc9f0"),
        ("#0d1b1e", "#c3dbc5", "#e8dccb", "#7798ab", "#ff7f51"), ("#22223b", "#f2e9e4", "#c9ada7", "#ffba49", "#ef5b5b")])
    count, edge = 6, SIZE / 6
    out = [rectangle(0, 0, SIZE, SIZE, ground)]
    for row in range(count - 1):
        for column in range(count):
            x, y, ink, kind = column * edge, row * edge, dice.choice(inks), dice.randrange(7)
            corners = [(x, y, 1, 1), (x + edge, y, -1, 1), (x, y + edge, 1, -1), (x + edge, y + edge, -1, -1)]
            a, b, along, down = corners[kind % 4]
            if kind < 4:
                turn = 1 if along * down > 0 else 0
                out.append(path(f"M{a} {b}h{along * edge}A{edge} {edge} 0 0 {turn} {a} {b + down * edge}Z", ink))
                if dice.random() < 0.35:
                    half = edge / 2
                    out.append(path(f"M{a} {b}h{along * half}A{half} {half} 0 0 {turn} {a} {b + down * half}Z",
                                    dice.choice(inks)))
            elif kind == 4:
                out.append(circle(x + edge / 2, y + edge / 2, edge / 2, ink))
                out.append(circle(x + edge / 2, y + edge / 2, edge / 5, ground))
            elif kind == 5:
                out.append(rectangle(x, y, edge, edge, ink))
    dark = int(ground[1:3], 16) < 128
    size = 40 if len(heading) < 19 else 28
    text, _ = words(heading, 30, SIZE - 46, size, "#ffffff" if dark else "#111111", width=560)
    return "".join(out) + text + words(below, 30, SIZE - 18, 21, inks[0], weight=500)[0]


def petals(dice, heading, below):
    """A flower of many petals on paper."""
    paper, ink, leaf, other = dice.choice([
        ("#f4efe6", "#7a1f2b", "#c8553d", "#588b8b"), ("#eef3ec", "#1e4d3a", "#6a994e", "#bc6c25"),
        ("#f7f1fa", "#3c2a63", "#8e6bbf", "#d4a373"), ("#fbf3e4", "#5b3a00", "#e09f3e", "#9e2a2b"),
        ("#edf2f8", "#1b3a5f", "#4a7fb5", "#d98c5f"), ("#faf0f0", "#4f1b2e", "#c06c84", "#355c7d")])
    out = [rectangle(0, 0, SIZE, SIZE, paper)]
    for ring in range(4):
        count, length = dice.choice([8, 10, 12, 14, 16]), 205 - ring * 45
        width, turn = length * dice.uniform(0.16, 0.34), dice.uniform(0, 60)
        shape = f"M0 0C{width:.0f} {-length * 0.35:.0f} {width:.0f} {-length * 0.8:.0f} 0 {-length}" \
            f"C{-width:.0f} {-length * 0.8:.0f} {-width:.0f} {-length * 0.35:.0f} 0 0Z"
        fill = [leaf, other, ink, paper][ring]
        out += [path(shape, fill, opacity=0.72 if ring < 3 else 1,
                     transform=f"translate(300 235) rotate({turn + 360 * number / count:.1f})")
                for number in range(count)]
    out.append(circle(300, 235, 22, ink))
    out.append(rectangle(40, 470, 520, 2, ink))
    text, _ = words(heading, 40, 522, 36 if len(heading) < 27 else 26, ink, weight=500, width=540)
    return "".join(out) + text + words(below, 40, 562, 23, other, weight=400)[0]


def lines(dice, heading, below):
    """Strokes of many lengths, as a voice draws them."""
    ground, ink, strong = dice.choice([("#d62828", "#ffffff", "#003049"), ("#003049", "#f1faee", "#fcbf49"),
                                       ("#f5f0e1", "#1e3d59", "#ff6e40")])
    out = [rectangle(0, 0, SIZE, SIZE, ground)]
    for number in range(26):
        height = 30 + 250 * abs(math.sin(number * 0.37) * math.sin(number * 0.13 + 0.6)) * dice.uniform(0.7, 1)
        out.append(rectangle(40 + number * 20.2, 220 - height / 2, 11, height, strong if number == 17 else ink, rx=5.5))
    text, top = words(heading, 40, 528, 58, ink, width=400)
    return "".join(out) + text + words(below, 40, 568, 25, ink, weight=400)[0]


def drawn(chrome):
    """Returns what makes JPEGs of SVGs."""
    def draw(pictures):
        tab = chrome.tab(SIZE, SIZE)
        made = {}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cover.jpg")
            page = os.path.join(folder, "cover.html")
            for address, svg in pictures.items():
                with open(page, "w", encoding="utf-8") as file:
                    file.write(f'<!doctype html><meta charset="utf-8"><style>body {{ margin: 0 }}</style>{svg}')
                tab.open(f"file://{page}")
                tab.picture(path, quality=88)
                with open(path, "rb") as file:
                    made[address] = file.read()
        tab.close()
        return made
    return draw
