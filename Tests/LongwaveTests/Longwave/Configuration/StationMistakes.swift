extension ConfigurationMistakeTests {
  static let stationMistakes: [Mistake] = [
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    auth:\n      token: abcdefgh\n",
      "c.yml:4: stations[0].auth: lets nobody in; write tokens:, htpasswd: or listener-add:",
      "c.yml:5: stations[0].auth.token: unknown key; did you mean tokens?"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    auth: {listener-remove: http://b/, tokens: 12345678}\n",
      "c.yml:4: stations[0].auth.listener-remove: has no effect without listener-add:; write that too"
    ),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    title-pattern: {title}\n",
      "c.yml:4: stations[0].title-pattern: has keys of its own; "
        + "write a pattern in quotes, such as \"{artist} - {title}\""),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    title-pattern: '{artist} - {song}'\n",
      "c.yml:4: stations[0].title-pattern: has {song}, which is unknown; "
        + "write {artist}, {title}, {artwork} or {*}"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    title-shift: 61s\n",
      "c.yml:4: stations[0].title-shift: 61s is out of range; write -1m to 1m"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: now.xml\n",
      "c.yml:4: stations[0].metadata: \"now.xml\" is not a URL that begins with http:// or https://"
    ),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {kind: icecast}\n",
      "c.yml:4: stations[0].metadata.url: is missing; write the URL of the page"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, kind: xml}\n",
      "c.yml:4: stations[0].metadata.title: is missing; "
        + "write the title's path, such as now.song.title"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, kind: text, mount: /x}\n",
      "c.yml:4: stations[0].metadata.mount: has no effect here; it is for kind: icecast"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, interval: 0}\n",
      "c.yml:4: stations[0].metadata.interval: 0 is out of range; write 1s to 1h"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, time-zone: Mars/Base}\n",
      "c.yml:4: stations[0].metadata.time-zone: \"Mars/Base\" is not a time zone, "
        + "such as Europe/Berlin or +02:00"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    metadata: {url: http://b/, intervall: 5s}\n",
      "c.yml:4: stations[0].metadata.intervall: unknown key; did you mean interval?"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    loudness: {for: 30s}\n",
      "c.yml:4: stations[0].loudness.below: is missing; "
        + "write it, or above:, in LUFS, such as -30"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    loudness: {below: -9, above: -18.5}\n",
      "c.yml:4: stations[0].loudness.below: is -9, and above: -18.5; write the lower one here"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    loudness: {below: -71, above: 1, for: 2s}\n",
      "c.yml:4: stations[0].loudness.above: \"1\" is out of range; write LUFS from -70 to 0",
      "c.yml:4: stations[0].loudness.below: \"-71\" is out of range; write LUFS from -70 to 0",
      "c.yml:4: stations[0].loudness.for: 2s is out of range; write 3s to 1h"),
    Mistake("stations: jazz\n", "c.yml:1: stations: must be a list; begin each station with - id:"),
    Mistake(
      "stations:\n  jazz:\n    upstream: http://a/\n",
      "c.yml:2: stations: must be a list; begin each station with - id:"),
    Mistake("stations:\n  - jazz\n", "c.yml:2: stations[0]: must hold keys, such as id:"),
    Mistake(
      "stations:\n  - name: Jazz\n    upstream: http://a/\n",
      "c.yml:2: stations[0].id: is missing; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
    Mistake(
      "stations:\n  - id: jazz\n",
      "c.yml:2: stations[0].upstream: is missing; write one URL, or a list of them"),
    Mistake(
      "stations:\n  - id: jazz\n    upsteam: http://a/\n",
      "c.yml:3: stations[0].upsteam: unknown key; did you mean upstream?"),
    Mistake(
      "stations:\n  - id: jazz\n    fiels: /srv\n",
      "c.yml:3: stations[0].fiels: unknown key; did you mean files?"),
    Mistake(
      "stations:\n  - id: jazz\n    url: http://a/\n",
      "c.yml:2: stations[0].upstream: is missing; write one URL, or a list of them",
      "c.yml:3: stations[0].url: unknown key here; write upstream: for where the audio comes from "
        + "(url: belongs under metadata:)"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    shows:\n      - {name: x, from: 18:00, to: 19:00, description: y}\n",
      "c.yml:5: stations[0].shows[0].description: unknown key here; write text:"),
    Mistake(
      "stations:\n  - id: jazz\n    upstream: []\n",
      "c.yml:3: stations[0].upstream: is empty; write at least one URL"),
    Mistake(
      "stations:\n  - id: jazz\n    upstream: http://[::1%25lo]:99999/\n",
      "c.yml:3: stations[0].upstream: \"http://…/\" has the port 99999; a port is a number from 1 to "
        + "65535"),
    Mistake(
      "stations:\n  - id: jazz\n    upstream: [http://a/, ftp://b/]\n",
      "c.yml:3: stations[0].upstream: \"ftp://b/\" is not a URL that begins with "
        + "http:// or https://, or push: for a source that connects here"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/, type: audio/mpeg}\n",
      "c.yml:2: stations[0].type: \"audio/mpeg\" is unknown; write mp3, aac or ogg"),
    Mistake(
      "stations:\n  - id: jazz\n    upstream: [push]\n",
      "c.yml:2: stations[0].source-password: is missing; a station with push: among its upstreams "
        + "needs one"),
    Mistake(
      "stations:\n  - id: jazz\n    upstream:\n      - push:\n    source-password: short\n",
      "c.yml:5: stations[0].source-password: must be 8 to 256 printable ASCII characters without "
        + "blanks, or \"\" for none"),
    Mistake(
      "stations:\n  - id: Jazz\n    upstream: http://a/\n",
      "c.yml:2: stations[0].id: \"Jazz\" has a character other than a-z, 0-9, - _ and .; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
    Mistake(
      "stations:\n  - id: api\n    upstream: http://a/\n",
      "c.yml:2: stations[0].id: \"api\" is one of the server's own paths; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
    Mistake(
      "stations:\n  - id: jazz.m3u\n    upstream: http://a/\n",
      "c.yml:2: stations[0].id: \"jazz.m3u\" ends in .m3u, which is the name of a playlist; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/}\n  - {id: a, upstream: http://b/}\n",
      "c.yml:3: stations[1].id: \"a\" is already the station of line 2"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/}\n"
        + "  - {id: b, upstream: http://b/, mounts: /a}\n",
      "c.yml:3: stations[1].mounts: /a already leads to the station of line 2"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/, mounts: [x, /a/../b]}\n",
      "c.yml:2: stations[0].mounts: \"x\" is not a path; write one such as /stream.mp3",
      "c.yml:2: stations[0].mounts: \"/a/../b\" has an empty, . or .. part; "
        + "write a plain path such as /live/jazz.mp3"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/, public: no}\n",
      "c.yml:2: stations[0].public: \"no\" is neither true nor false; write one of them"),
    Mistake(
      "stations:\n  - {id: a, files: /srv, upstream: http://a/}\n",
      "c.yml:2: stations[0].upstream: has no place beside files:, which says where the audio is; "
        + "write one of them"),
    Mistake(
      "stations:\n  - {id: a, files: shows}\n",
      "c.yml:2: stations[0].files: \"shows\" is not a path that begins with a slash"),
    Mistake(
      "stations:\n  - {id: a, upstream: http://a/, throttle-bypass: 5s}\n",
      "c.yml:2: stations[0].throttle-bypass: goes with files:, the folder that the station serves"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    silence:\n      for: 5s\n      fallback: true\n",
      "c.yml:6: stations.a.fallback: is missing; silence: has fallback: true, which needs one"
    ),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    fallback: station:b\n"
        + "  - id: west\n    delay: 5s\n    of: rock\n",
      "c.yml:4: stations.a.fallback: there is no station \"b\"",
      "c.yml:7: stations.west.of: there is no station \"rock\""),
    Mistake(
      "stations:\n  - {id: west, of: rock, delay: 5s}\n",
      "c.yml:2: stations.west.of: there is no station \"rock\""),
    Mistake(
      "stations:\n  - {id: jazz, upstream: http://a/, window: 1h}\n"
        + "  - {id: west, of: jazz, delay: 1h}\n  - {id: far, of: west, delay: 5s}\n",
      "c.yml:3: stations.west.delay: \"jazz\" keeps 1h; write a shorter delay, or give it a longer window",
      "c.yml:4: stations.far.of: \"west\" is itself another station, later; name that one"),
    Mistake(
      "stations:\n  - {id: west, of: west, upstream: http://a/}\n",
      "c.yml:2: stations[0].delay: is missing; write how much later, such as 8h (or encode:, for a rendition)",
      "c.yml:2: stations[0].of: is the station itself; name another one",
      "c.yml:2: stations[0].upstream: has no place beside of:, which says where the audio comes from"
    ),
    Mistake(
      "stations:\n  - {id: \"a\\tb\", upstream: http://a/}\n",
      "c.yml:2: stations[0].id: \"a\\x09b\" has a character other than a-z, 0-9, - _ and .; "
        + "write 1 to 64 of a-z 0-9 - _ . that begin with a letter or digit"),
  ]
}
