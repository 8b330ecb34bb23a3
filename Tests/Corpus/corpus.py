"""Real audio files with every kind of tag, and what mutagen reads of them.

corpus.py make FOLDER   makes the files, with lame, flac, opusenc, oggenc and ffmpeg
corpus.py read FILE...  prints one line of JSON a file
corpus.py retag FILE    writes other tags into a file, longer ones than it had
"""

import base64, json, os, random, struct, subprocess, sys
from mutagen import File, apev2, flac, id3, mp4, oggopus, oggvorbis

PICTURE = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000"
                        "1f15c4890000000d49444154789c6360f8cfc0f01f00050001ff89993d1d0000000049454e44ae426082")
WORDS = "First line\nSecond line\n\nLast line"


def run(*command, data=None):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout


def wave(seconds=2):
    """A tone and some noise, so that no frame is like another."""
    random.seed(1)
    samples = bytearray()
    for index in range(int(44100 * seconds)):
        tone = int(8000 * (((index * 440 // 44100) % 2) * 2 - 1)) + random.randint(-2000, 2000)
        samples += struct.pack("<hh", tone, -tone)
    head = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 2, 44100, 176400, 4, 16)
    body = head + b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body


def synchsafe(number):
    return bytes(number >> shift & 0x7F for shift in (21, 14, 7, 0))


def frame(name, body, version=4, flags=0):
    if version == 2:
        return name.encode() + struct.pack(">I", len(body))[1:] + body
    size = synchsafe(len(body)) if version == 4 else struct.pack(">I", len(body))
    return name.encode() + size + struct.pack(">H", flags) + body


def tag(frames, version=4, flags=0, footer=False):
    """An ID3v2 tag around frames that are already bytes."""
    body = b"".join(frames)
    if flags & 0x80 and version < 4:
        body = body.replace(b"\xff\x00", b"\xff\x00\x00").replace(b"\xff\xe0", b"\xff\x00\xe0")
        body = body.replace(b"\xff\xfe", b"\xff\x00\xfe").replace(b"\xff\xff", b"\xff\x00\xff")
    if footer:
        flags |= 0x10
    head = bytes([version, 0, flags]) + synchsafe(len(body))
    return b"ID3" + head + body + (b"3DI" + head if footer else b"")


def v1(title, artist="Artist", album="Album", year="1983", comment="Comment", track=7, genre=17):
    def field(text, count):
        return text[:count].ljust(count, b"\0")
    return (b"TAG" + field(title, 30) + field(artist.encode(), 30) + field(album.encode(), 30)
            + field(year.encode(), 4) + field(comment.encode(), 28) + bytes([0, track, genre]))


def make(folder):
    os.makedirs(folder, exist_ok=True)
    at = lambda name: os.path.join(folder, name)
    def put(name, data):
        with open(at(name), "wb") as file:
            file.write(data)
        return at(name)
    sound = put("plain.wav", wave())
    run("lame", "--quiet", "-q", "9", "-b", "128", "-t", sound, at("bare.mp3"))  # without an info frame
    run("lame", "--quiet", "-q", "9", "-b", "128", sound, at("plain.mp3"))
    run("lame", "--quiet", "-q", "9", "-V", "5", sound, at("variable.mp3"))
    run("flac", "-s", "-f", "-1", sound, "-o", at("plain.flac"))
    run("opusenc", "--quiet", "--comp", "1", sound, at("plain.opus"))
    run("oggenc", "-Q", sound, "-o", at("plain.ogg"))
    run("ffmpeg", "-v", "error", "-y", "-i", sound, "-c:a", "aac", at("plain.m4a"))
    run("ffmpeg", "-v", "error", "-y", "-i", sound, "-c:a", "aac", "-movflags", "+faststart", at("front.m4a"))
    run("ffmpeg", "-v", "error", "-y", "-i", sound, "-c:a", "aac", "-f", "adts", at("plain.aac"))
    run("ffmpeg", "-v", "error", "-y", "-i", sound, "-c:a", "flac", "-f", "ogg", at("flac.oga"))
    read = lambda name: open(at(name), "rb").read()
    mp3 = read("plain.mp3")

    # ID3 by hand: what no library writes any more.
    latin = lambda text: b"\0" + text.encode("latin-1")
    put("v1.mp3", mp3 + v1("Tïtle".encode("latin-1")))
    put("v22.mp3", tag([frame("TT2", latin("Tïtle"), 2), frame("TP1", latin("Artist"), 2), frame("TAL", latin("Album"), 2),
                        frame("TRK", latin("3/12"), 2), frame("TYE", latin("1983"), 2), frame("TCO", latin("(17)"), 2),
                        frame("PIC", b"\0PNG\3\0" + PICTURE, 2)], 2) + mp3)
    put("v23.mp3", tag([frame("TIT2", latin("Tïtle"), 3), frame("TPE1", latin("AC/DC"), 3), frame("TYER", latin("1983"), 3),
                        frame("TDAT", latin("0205"), 3), frame("TCON", latin("(17)(9)"), 3),
                        frame("COMM", b"\0eng\0" + b"A comment", 3)], 3) + mp3)
    put("utf16.mp3", tag([frame("TIT2", b"\1\xff\xfe" + "Tïtle ☃".encode("utf-16-le"), 3),
                          frame("TPE1", b"\1\xfe\xff" + "Ärtist".encode("utf-16-be"), 3)], 3) + mp3)
    put("utf16-be.mp3", tag([frame("TIT2", b"\2" + "Tïtle ☃".encode("utf-16-be"))]) + mp3)
    put("utf16-no-mark.mp3", tag([frame("TIT2", b"\1" + "Title".encode("utf-16-le"), 3), frame("TPE1", latin("Artist"), 3)], 3) + mp3)
    put("cp1251.mp3", tag([frame("TIT2", b"\0" + "Группа крови".encode("cp1251"), 3), frame("TPE1", b"\0" + "Кино".encode("cp1251"), 3)], 3) + mp3)
    put("gbk.mp3", tag([frame("TIT2", b"\0" + "月亮代表我的心".encode("gbk"), 3), frame("TPE1", b"\0" + "邓丽君".encode("gbk"), 3)], 3) + mp3)
    put("utf8-as-latin1.mp3", tag([frame("TIT2", b"\0" + "Tïtle ☃".encode(), 3)], 3) + mp3)
    put("unsynchronised.mp3", tag([frame("TIT2", b"\1\xff\xfe" + "Tïtle".encode("utf-16-le"), 3),
                                   frame("APIC", b"\0image/png\0\3\0" + PICTURE + b"\xff\xe0\xff\x00", 3)], 3, 0x80) + mp3)
    put("footer.mp3", tag([frame("TIT2", b"\3Footer"), frame("TPE1", b"\3Artist\0Other")], footer=True) + mp3)
    put("two-tags.mp3", tag([frame("TIT2", b"\3First")]) + tag([frame("TIT2", b"\3Second"), frame("TALB", b"\3Album")]) + mp3)
    put("empty-tag.mp3", tag([]) + mp3)
    put("long.mp3", tag([frame("TIT2", b"\3" + "ü".encode() * 3000), frame("TPE1", b"\3" + b"\0".join(b"A%d" % i for i in range(99)))]) + mp3)

    # ID3 by mutagen.
    full = id3.ID3()
    for one in (id3.TIT2(3, ["Tïtle ☃"]), id3.TPE1(3, ["One", "Two"]), id3.TALB(3, ["Album"]), id3.TPE2(3, ["Various"]),
                id3.TCOM(3, ["Composer"]), id3.TCON(3, ["Jazz", "Blues"]), id3.TDRC(3, ["1983-05-02"]), id3.TRCK(3, ["3/12"]),
                id3.TPOS(3, ["1/2"]), id3.TCMP(3, ["1"]), id3.TSRC(3, ["DEA123456789"]), id3.TPUB(3, ["Label"]),
                id3.COMM(3, "eng", "", ["A comment"]), id3.COMM(3, "eng", "iTunNORM", ["00000000"]), id3.USLT(3, "eng", "", WORDS),
                id3.SYLT(3, "eng", 2, 1, "", [("First", 1000), ("Second", 2500)]),
                id3.TXXX(3, "REPLAYGAIN_TRACK_GAIN", ["-7,03 dB"]), id3.TXXX(3, "replaygain_track_peak", ["1.034261"]),
                id3.TXXX(3, "ReplayGain_Album_Gain", ["+2.5"]), id3.APIC(3, "image/png", 3, "front", PICTURE),
                id3.CHAP("c0", 0, 1000, sub_frames=[id3.TIT2(3, ["Intro"])]),
                id3.CHAP("c1", 1000, 2000, sub_frames=[id3.TIT2(3, ["Söng"])])):
        full.add(one)
    full.save(put("v24.mp3", mp3))
    put("v24.aac", read("v24.mp3")[:-len(mp3)] + read("plain.aac"))
    full.save(put("v24-as-23.mp3", mp3), v2_version=3)
    put("all-three.mp3", mp3)
    ape = apev2.APEv2()
    ape["Title"], ape["Publisher"], ape["Artist"] = "Ape title", "Ape label", ["X", "Y"]
    ape.save(at("all-three.mp3"))
    id3.ID3(at("v24.mp3")).save(at("all-three.mp3"), v1=2)
    ape = apev2.APEv2()
    ape["Title"], ape["Artist"], ape["Year"], ape["Track"], ape["REPLAYGAIN_TRACK_GAIN"] = "Tïtle", ["X", "Y"], "1983", "3/12", "-3.10 dB"
    ape.save(put("ape.mp3", mp3))
    pictures = id3.ID3()
    for kind, count in ((3, 1), (4, 200), (0, 70_000)):
        pictures.add(id3.APIC(3, "image/png", kind, str(kind), PICTURE + b"\0" * count))
    pictures.save(put("pictures.mp3", mp3))
    large = id3.ID3()
    large.add(id3.TIT2(3, ["Large"]))
    large.add(id3.APIC(3, "image/png", 3, "", PICTURE + os.urandom(9_000_000)))
    large.save(put("large-picture.mp3", mp3))
    itunes = id3.ID3()
    itunes.add(id3.COMM(0, "eng", "iTunSMPB", [" 00000000 00000210 000005A4 000000000001572C 00000000 00000000"]))
    itunes.save(put("itunes.mp3", mp3))

    # Vorbis comments.
    comments = {"title": ["Tïtle ☃"], "artist": ["One", "Two"], "album": ["Album"], "albumartist": ["Various"], "composer": ["Composer"],
                "genre": ["Jazz", "Blues"], "date": ["1983-05-02"], "tracknumber": ["3"], "discnumber": ["1"], "compilation": ["1"],
                "isrc": ["DEA123456789"], "label": ["Label"], "comment": ["A comment"], "lyrics": [WORDS],
                "replaygain_track_gain": ["-7.03 dB"], "replaygain_track_peak": ["0.988553"], "chapter001": ["00:00:00.000"],
                "chapter001name": ["Intro"], "chapter002": ["00:00:01.500"], "chapter002name": ["Söng"]}
    cover = flac.Picture()
    cover.type, cover.mime, cover.desc, cover.data = 3, "image/png", "front", PICTURE
    for plain, name in (("plain.flac", "full.flac"), ("plain.opus", "full.opus"), ("plain.ogg", "full.ogg"), ("flac.oga", "full.oga")):
        file = File(put(name, read(plain)))
        if file.tags is None:
            file.add_tags()
        for key, values in comments.items():
            file[key] = values
        if name == "full.flac":
            file.add_picture(cover)
        else:
            file["metadata_block_picture"] = [base64.b64encode(cover.write()).decode()]
        if name == "full.opus":
            file["r128_track_gain"] = ["-1234"]
        file.save()
    put("id3-in-front.flac", tag([frame("TIT2", b"\3Other"), frame("TPUB", b"\3Label")]) + read("full.flac"))
    # The links of a chain have serial numbers of their own.
    run("oggenc", "-Q", "-s", "77", sound, "-o", at("other.ogg"))
    run("opusenc", "--quiet", "--comp", "1", "--serial", "77", sound, at("other.opus"))
    put("chained.ogg", read("full.ogg") + read("other.ogg"))
    put("chained.opus", read("full.opus") + read("other.opus"))

    # MP4.
    for plain, name in (("plain.m4a", "full.m4a"), ("front.m4a", "full-front.m4a")):
        file = mp4.MP4(put(name, read(plain)))
        file["\xa9nam"], file["\xa9ART"], file["\xa9alb"], file["aART"] = ["Tïtle ☃"], ["One", "Two"], ["Album"], ["Various"]
        file["\xa9wrt"], file["\xa9gen"], file["\xa9day"] = ["Composer"], ["Jazz"], ["1983-05-02"]
        file["trkn"], file["disk"], file["cpil"], file["\xa9cmt"], file["\xa9lyr"] = [(3, 12)], [(1, 2)], True, ["A comment"], [WORDS]
        for key, value in (("ISRC", "DEA123456789"), ("LABEL", "Label"), ("replaygain_track_gain", "-7.03 dB"),
                           ("iTunSMPB", " 00000000 00000840 000001CA 00000000000153F6 00000000 00000000")):
            file["----:com.apple.iTunes:" + key] = [value.encode()]
        file["covr"] = [mp4.MP4Cover(PICTURE, mp4.MP4Cover.FORMAT_PNG)]
        file.save()
    wav = File(put("full.wav", read("plain.wav")))
    wav.add_tags()
    for one in full.values():
        wav.tags.add(one)
    wav.save()


NAMES = {"title": ("TIT2", "title", "\xa9nam"), "artist": ("TPE1", "artist", "\xa9ART"), "album": ("TALB", "album", "\xa9alb"),
         "albumArtist": ("TPE2", "albumartist", "aART"), "composer": ("TCOM", "composer", "\xa9wrt"), "genre": ("TCON", "genre", "\xa9gen"),
         "date": ("TDRC", "date", "\xa9day"), "track": ("TRCK", "tracknumber", "trkn"), "disc": ("TPOS", "discnumber", "disk"),
         "compilation": ("TCMP", "compilation", "cpil"), "isrc": ("TSRC", "isrc", "----:com.apple.iTunes:ISRC"),
         "label": ("TPUB", "label", "----:com.apple.iTunes:LABEL")}
APE_NAMES = {"title": "Title", "artist": "Artist", "album": "Album", "label": "Publisher", "date": "Year", "track": "Track"}


def of_id3(tags, found):
    for field, (name, _, _) in NAMES.items():
        values = [text for one in tags.getall(name) for text in (one.genres if name == "TCON" else map(str, one.text))]
        if values:
            found.setdefault(field, values)
    for one in tags.getall("COMM"):
        if not one.desc:
            found.setdefault("comment", list(one.text))
    for one in tags.getall("USLT"):
        found.setdefault("lyrics", one.text)
    for one in tags.getall("SYLT"):
        found.setdefault("lines", [[time, text] for text, time in one.text])
    if tags.getall("CHAP"):
        found["chapters"] = [[one.start_time, str(one.sub_frames["TIT2"])] for one in
                             sorted(tags.getall("CHAP"), key=lambda one: one.start_time)]
    if tags.getall("APIC"):
        found["pictures"] = sorted([int(one.type), len(one.data)] for one in tags.getall("APIC"))


def of_comments(tags, found):
    for field, (_, name, _) in NAMES.items():
        if name in tags:
            found[field] = list(tags[name])
    for field in ("comment", "lyrics"):
        if field in tags:
            found[field] = tags[field][0] if field == "lyrics" else list(tags[field])
    pictures = [flac.Picture(base64.b64decode(one)) for one in tags.get("metadata_block_picture", [])]
    if pictures:
        found["pictures"] = [[one.type, len(one.data)] for one in pictures]
    if "chapter001" in tags:
        found["chapters"] = [[0, tags["chapter001name"][0]], [1500, tags["chapter002name"][0]]]


def of_mp4(tags, found):
    for field, (_, _, name) in NAMES.items():
        if name not in tags:
            continue
        value = tags[name]
        if field in ("track", "disc"):
            value = ["%d/%d" % value[0]]
        elif field == "compilation":
            value = ["1" if value else "0"]
        else:
            value = [one.decode() if isinstance(one, bytes) else str(one) for one in value]
        found[field] = value
    if "\xa9cmt" in tags:
        found["comment"] = list(tags["\xa9cmt"])
    if "\xa9lyr" in tags:
        found["lyrics"] = tags["\xa9lyr"][0]
    if "covr" in tags:
        found["pictures"] = [[3, len(one)] for one in tags["covr"]]


def read(path):
    found = {}
    try:
        file = File(path)
    except Exception as error:
        return {"error": type(error).__name__}
    if file is None:
        return {}
    if isinstance(file, mp4.MP4):
        of_mp4(file.tags or {}, found)
    elif isinstance(getattr(file, "tags", None), id3.ID3) or path.endswith((".mp3", ".aac")):
        try:
            of_id3(id3.ID3(path, load_v1=False) if not path.endswith(".wav") else file.tags, found)
        except Exception:
            pass
        try:
            ape = apev2.APEv2(path)
            for field, name in APE_NAMES.items():
                if name in ape:
                    found.setdefault(field, str(ape[name]).split("\0"))
        except Exception:
            pass
        with open(path, "rb") as data:
            data.seek(max(0, os.path.getsize(path) - 128))
            old = id3.ParseID3v1(data.read()) or {}
        for one in old.values():
            field = [field for field, names in NAMES.items() if names[0] == one.FrameID] + ["comment"] * (one.FrameID == "COMM")
            if field:
                found.setdefault(field[0], one.genres if one.FrameID == "TCON" else [str(text) for text in one.text])
    else:
        of_comments(file.tags or {}, found)
        if isinstance(file, flac.FLAC) and file.pictures:
            found["pictures"] = [[one.type, len(one.data)] for one in file.pictures]
        try:
            of_id3(id3.ID3(path), found)
        except Exception:
            pass
    return found


def retag(path):
    """Writes tags that need more room than a file has, so that all behind them moves."""
    long = "An other title " * 2000
    if path.endswith((".mp3", ".aac")):
        tags = id3.ID3()
        tags.add(id3.TIT2(3, [long]))
        tags.add(id3.APIC(3, "image/png", 3, "", PICTURE * 500))
        tags.save(path, v1=2)
        ape = apev2.APEv2()
        ape["Title"] = long
        ape.save(path)
        return
    file = File(path)
    if file.tags is None:
        file.add_tags()
    if path.endswith(".m4a"):
        file["\xa9nam"], file["covr"] = [long], [mp4.MP4Cover(PICTURE * 500, mp4.MP4Cover.FORMAT_PNG)]
    elif path.endswith(".wav"):
        file.tags.add(id3.TIT2(3, [long]))
    else:
        file["title"], file["artist"] = [long * 3], ["Other"]
        file["metadata_block_picture"] = [base64.b64encode(PICTURE * 2000).decode()]
    file.save()


if sys.argv[1] == "make":
    make(sys.argv[2])
elif sys.argv[1] == "retag":
    retag(sys.argv[2])
else:
    for path in sys.argv[2:]:
        print(json.dumps([os.path.basename(path), read(path)]))
